-- How many sessions have a matching call (6.2).
SELECT count(*) FROM {session_rows} s WHERE {matched}
