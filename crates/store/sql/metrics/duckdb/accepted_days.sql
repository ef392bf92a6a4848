-- Accepted payloads by day of arrival and key (7.2). $1 first day, $2 last day, in days since 1970.
WITH accepted AS (
    SELECT received_ms, key_id, 1 AS calls, 0 AS startups, 0 AS agreements FROM calls
    UNION ALL
    SELECT received_ms, key_id, 0, 1, 0 FROM startups
    UNION ALL
    SELECT received_ms, key_id, 0, 0, 1 FROM agreements
)
SELECT
    received_ms // 86400000 AS day, key_id, sum(calls)::BIGINT, sum(startups)::BIGINT, sum(agreements)::BIGINT,
    max(received_ms)
FROM accepted
WHERE received_ms >= $1::BIGINT * 86400000 AND received_ms < ($2::BIGINT + 1) * 86400000
GROUP BY day, key_id
