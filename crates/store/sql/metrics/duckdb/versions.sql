-- Producer versions in order of first appearance (10.4).
SELECT sdk, mcp_sdk_version, min(seq) AS first_seq, arg_min(received_ms, seq), arg_min(surface_id, seq)
FROM startups
WHERE sdk IS NOT NULL OR mcp_sdk_version IS NOT NULL
GROUP BY sdk, mcp_sdk_version
ORDER BY first_seq
