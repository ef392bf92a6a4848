-- Calls by bin of their duration, split by a key.
WITH matching AS ({matching}),
binned AS (
    SELECT {row_point} AS point, m.tool, m.client, m.source, (duration_ms - duration_ms % {width})::UINTEGER AS bin, n AS calls
    FROM matching m {row_join}
    UNION ALL BY NAME
    {bin_cells}
)
SELECT {keys}, bin, sum(calls)::BIGINT AS calls
FROM binned m
{joins}
GROUP BY ALL
HAVING sum(calls) <> 0
