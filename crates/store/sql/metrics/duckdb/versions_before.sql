-- For each producer version that first arrived in the range, those seen before and their latest startup (10.4).
-- $1 from, $2 to.
WITH versions AS (
    SELECT * FROM startups WHERE sdk IS NOT NULL OR mcp_sdk_version IS NOT NULL
),
firsts AS (
    SELECT min(seq) AS first_seq, arg_min(received_ms, seq) AS first_ms FROM versions GROUP BY sdk, mcp_sdk_version
)
SELECT f.first_seq, s.sdk, s.mcp_sdk_version, max(s.seq)
FROM firsts f
JOIN versions s ON s.seq < f.first_seq
WHERE f.first_ms >= $1 AND f.first_ms < $2
GROUP BY f.first_seq, s.sdk, s.mcp_sdk_version
