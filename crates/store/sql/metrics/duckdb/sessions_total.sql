-- How many sessions have a matching call (6.2).
WITH matching AS ({matching})
SELECT count(DISTINCT session_id) FROM matching
