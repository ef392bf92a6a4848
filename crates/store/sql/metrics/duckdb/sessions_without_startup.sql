-- Sessions with a matching call that never sent a startup (7.4).
WITH matching AS ({matching})
SELECT count(DISTINCT session_id)
FROM matching
WHERE session_id NOT IN (SELECT session_id FROM startups)
