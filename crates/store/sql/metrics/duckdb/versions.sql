-- Producer versions in order of first appearance (10.4).
WITH per_source AS (
    SELECT source, min(startup_seq) AS first_seq, arg_min(received_ms, startup_seq) AS first_ms
    FROM {use_rows} c
    GROUP BY source
)
SELECT
    k.sdk, k.mcp_sdk_version, min(s.first_seq) AS first_seq, arg_min(s.first_ms, s.first_seq),
    arg_min(k.surface_id, s.first_seq)
FROM per_source s
JOIN sources_now k ON k.source = s.source
WHERE k.sdk IS NOT NULL OR k.mcp_sdk_version IS NOT NULL
GROUP BY k.sdk, k.mcp_sdk_version
ORDER BY first_seq
