INSERT INTO latency_days
WITH matching AS ({matching})
SELECT {hour} // 24, tool, client, (duration_ms - duration_ms % {width})::UINTEGER, sum(n)
FROM matching
GROUP BY ALL
HAVING sum(n) <> 0
ORDER BY ALL
