INSERT INTO next_tools
WITH matching AS ({matching})
SELECT {hour}, client, tool, next_tool, sum(n)
FROM matching
WHERE in_sequence
GROUP BY ALL
HAVING sum(n) <> 0
ORDER BY ALL
