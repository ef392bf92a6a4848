INSERT INTO latency_hours
WITH matching AS ({matching})
SELECT {hour}, (duration_ms - duration_ms % {width})::UINTEGER, sum(n)
FROM matching
GROUP BY ALL
HAVING sum(n) <> 0
ORDER BY ALL
