-- For each producer version that first arrived in the range, those seen before and their latest startup (10.4).
-- $1 from, $2 to.
WITH seen AS (
    SELECT k.sdk, k.mcp_sdk_version, c.startup_seq, c.received_ms
    FROM {use_rows} c
    JOIN sources_now k ON k.source = c.source
    WHERE k.sdk IS NOT NULL OR k.mcp_sdk_version IS NOT NULL
),
firsts AS (
    SELECT min(startup_seq) AS first_seq, arg_min(received_ms, startup_seq) AS first_ms
    FROM seen
    GROUP BY sdk, mcp_sdk_version
)
SELECT f.first_seq, s.sdk, s.mcp_sdk_version, max(s.startup_seq)
FROM firsts f
JOIN seen s ON s.startup_seq < f.first_seq
WHERE f.first_ms >= $1 AND f.first_ms < $2
GROUP BY f.first_seq, s.sdk, s.mcp_sdk_version
