-- Sessions with a matching call.
WITH matching AS ({matching})
SELECT DISTINCT session FROM matching
