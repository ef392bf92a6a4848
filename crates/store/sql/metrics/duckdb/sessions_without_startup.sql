-- Sessions with a matching call that never sent a startup (7.4).
SELECT count(*) FROM {session_rows} s WHERE first_source = 0 AND {matched}
