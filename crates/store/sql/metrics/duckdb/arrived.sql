SELECT
    received_ms // 86400000 AS day, key_id, sum(calls)::BIGINT, sum(startups)::BIGINT, sum(agreements)::BIGINT,
    max(received_ms)
FROM (
    SELECT received_ms, key_id, 1 AS calls, 0 AS startups, 0 AS agreements FROM calls WHERE seq > {above} AND seq <= {upto}
    UNION ALL
    SELECT received_ms, key_id, 0, 1, 0 FROM startups WHERE seq > {above} AND seq <= {upto}
    UNION ALL
    SELECT received_ms, key_id, 0, 0, 1 FROM agreements WHERE seq > {above} AND seq <= {upto}
)
GROUP BY day, key_id
