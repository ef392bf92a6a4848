-- 2.12: the session's startup before the call, else its first one.
SELECT m.seq AS call_seq, coalesce(before_it.seq, first_one.seq) AS startup_seq
FROM matching m
ASOF LEFT JOIN startups before_it ON before_it.session_id = m.session_id AND m.seq > before_it.seq
LEFT JOIN (SELECT session_id, min(seq) AS seq FROM startups GROUP BY session_id) first_one
    ON first_one.session_id = m.session_id
