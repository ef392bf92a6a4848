-- Payloads accepted and rejected on the days a range touches, and the newest arrival ever (7.2, 7.3).
-- $1 first day, $2 last day, in days since 1970.
WITH accepted AS ({accepted})
SELECT
    (SELECT coalesce(sum(calls + startups + agreements), 0)::BIGINT FROM accepted WHERE day BETWEEN $1 AND $2),
    (SELECT coalesce(sum(count), 0)::BIGINT FROM rejections WHERE day BETWEEN $1 AND $2),
    (SELECT max(last_ms) FROM accepted)
