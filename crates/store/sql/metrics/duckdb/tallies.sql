-- Counts of calls (3.2), split by a key.
WITH matching AS ({matching}){with}
SELECT
    {keys},
    count(*) FILTER (outcome = 0 AND NOT is_empty) AS ok,
    count(*) FILTER (outcome = 0 AND is_empty) AS empty,
    count(*) FILTER (outcome = 1) AS bad_args,
    count(*) FILTER (outcome = 2) AS tool_error,
    count(*) FILTER (outcome = 3) AS crashed,
    count(*) FILTER (settled AND outcome = 0 AND NOT is_empty) AS settled_ok,
    count(*) FILTER (settled AND outcome = 0 AND is_empty) AS settled_empty,
    count(*) FILTER (settled AND outcome = 1) AS settled_bad_args,
    count(*) FILTER (settled AND outcome = 2) AS settled_tool_error,
    count(*) FILTER (settled AND outcome = 3) AS settled_crashed,
    -- Decimal quantiles: the engine then finds the rank in whole numbers, which is the nearest rank (3.4).
    quantile_disc(duration_ms, 0.50) AS p50,
    quantile_disc(duration_ms, 0.90) AS p90,
    quantile_disc(duration_ms, 0.95) AS p95,
    quantile_disc(duration_ms, 0.99) AS p99,
    sum(response_units)::UBIGINT AS units,
    max(response_units) AS max_units,
    count(DISTINCT m.session_id) AS sessions,
    min(m.started_ms) AS first_ms,
    max(m.started_ms) AS last_ms,
    max(m.received_ms) AS newest_ms,
    count(*) FILTER (m.client_name <> 'unknown') AS known_client,
    count(*) FILTER (crowded) AS crowded_calls
FROM matching m
{joins}
GROUP BY ALL
HAVING count(*) > 0
