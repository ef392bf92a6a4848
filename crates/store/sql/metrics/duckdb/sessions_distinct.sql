-- Different sessions among matching calls (3.7), split by a key.
WITH matching AS ({matching})
SELECT {keys}, count(DISTINCT session) FROM matching m {joins} GROUP BY ALL HAVING count(*) > 0
