-- Calls by bin of their duration (3.5).
WITH matching AS ({matching})
SELECT b.position, count(*)
FROM matching m
JOIN bins b ON m.duration_ms >= b.from_ms AND (b.to_ms IS NULL OR m.duration_ms < b.to_ms)
GROUP BY b.position
