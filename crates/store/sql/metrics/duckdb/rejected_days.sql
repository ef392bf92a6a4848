-- Rejected payloads by day, key, producer and rule (7.2). $1 first day, $2 last day, in days since 1970.
SELECT day, key_id, producer, rule, sum(count)::BIGINT, max(last_ms)
FROM rejections
WHERE day BETWEEN $1 AND $2
GROUP BY day, key_id, producer, rule
