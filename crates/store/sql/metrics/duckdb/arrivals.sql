-- Payloads accepted and rejected on the days a range touches, and the newest arrival ever (7.2, 7.3).
-- $1 first day, $2 last day, in days since 1970.
WITH accepted AS (
    SELECT received_ms FROM calls
    UNION ALL SELECT received_ms FROM startups
    UNION ALL SELECT received_ms FROM agreements
)
SELECT
    (SELECT count(*) FROM accepted WHERE received_ms >= $1::BIGINT * 86400000 AND received_ms < ($2::BIGINT + 1) * 86400000),
    (SELECT coalesce(sum(count), 0)::BIGINT FROM rejections WHERE day BETWEEN $1 AND $2),
    (SELECT max(received_ms) FROM accepted)
