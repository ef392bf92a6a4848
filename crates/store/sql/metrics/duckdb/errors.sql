-- Settled calls and errors among them by tool (9.6).
WITH matching AS ({matching})
SELECT tool_name, count(*), count(*) FILTER (outcome <> 0) FROM matching WHERE settled GROUP BY tool_name
