-- Percentiles of durations (3.4), split by a key.
WITH matching AS ({matching})
SELECT
    {keys},
    -- Decimal quantiles: the engine then finds the rank in whole numbers, which is the nearest rank.
    quantile_disc(duration_ms, 0.50) AS p50,
    quantile_disc(duration_ms, 0.90) AS p90,
    quantile_disc(duration_ms, 0.95) AS p95,
    quantile_disc(duration_ms, 0.99) AS p99
FROM (SELECT {row_point} AS point, m.* FROM matching m {row_join}) m
{joins}
GROUP BY ALL
