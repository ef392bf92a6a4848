-- Sessions with a startup in use both before and after a range. $1 from, $2 to.
SELECT DISTINCT s.session_id, 0::BIGINT AS first_seq
FROM {use_rows} c
JOIN {session_rows} s ON s.session = c.session
WHERE c.from_ms < $1 AND c.to_ms >= $2
