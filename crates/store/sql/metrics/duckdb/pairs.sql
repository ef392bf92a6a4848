-- One tool followed by another (2.11, 6.4). $4 how many.
WITH matching AS ({matching}),
counted AS (
    SELECT tool, next_tool, n AS calls FROM matching WHERE in_sequence
    UNION ALL
    SELECT tool, next_tool, calls FROM next_tools c WHERE {whole} AND {clients}
),
firsts AS (
    SELECT tool, next_tool, sum(calls) AS times FROM counted GROUP BY tool, next_tool HAVING sum(calls) <> 0
),
totals AS (
    SELECT tool, sum(times) AS calls FROM firsts GROUP BY tool
)
SELECT c.name, k.name, p.times::BIGINT, t.calls::BIGINT
FROM firsts p
JOIN totals t ON t.tool = p.tool
JOIN tools_now c ON c.tool = p.tool
JOIN tools_now k ON k.tool = p.next_tool
WHERE p.next_tool <> p.tool AND {either_tool}
ORDER BY p.times DESC, c.name, k.name
LIMIT $4
