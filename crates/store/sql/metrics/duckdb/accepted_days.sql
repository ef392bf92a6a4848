-- Accepted payloads by day of arrival and key (7.2). $1 first day, $2 last day, in days since 1970.
WITH accepted AS ({accepted})
SELECT day, key_id, sum(calls)::BIGINT, sum(startups)::BIGINT, sum(agreements)::BIGINT, max(last_ms)
FROM accepted
WHERE day BETWEEN $1 AND $2
GROUP BY day, key_id
