-- Follow-ups by the shape of their run, or clean runs by their length, split by a key and by tool.
WITH matching AS ({matching}),
contributions AS ({shape_contributions}),
counted AS (
    SELECT {row_point} AS point, m.* EXCLUDE (started_ms) FROM contributions m {row_join}
    UNION ALL BY NAME
    SELECT {cell_point} AS point, c.* EXCLUDE (hour) FROM shapes c {cell_join} WHERE {whole} AND {tools} AND {clients}
)
SELECT {keys}, o.name AS own_tool, m.run_steps, m.run_clean, sum({wanted})::BIGINT
FROM counted m
JOIN tools_now o ON o.tool = m.tool
{joins}
GROUP BY ALL
HAVING sum({wanted}) <> 0
