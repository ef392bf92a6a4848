-- A page of sessions, newest first (6.2). $1 and $2 date and id of the one before the page (NULL: from the start), $3
-- how many.
SELECT session, session_id, first_ms, first_source
FROM {session_rows} s
WHERE {matched} AND ($1::BIGINT IS NULL OR first_ms < $1 OR (first_ms = $1 AND session_id > $2))
ORDER BY first_ms DESC, session_id
LIMIT $3
