-- For each surface that first arrived in the range, those seen before and their latest startup (10.2). $1 from, $2 to.
WITH seen AS (
    SELECT k.surface_id, c.startup_seq, c.received_ms FROM {use_rows} c JOIN sources_now k ON k.source = c.source
),
firsts AS (
    SELECT surface_id, min(startup_seq) AS first_seq, arg_min(received_ms, startup_seq) AS first_ms
    FROM seen
    GROUP BY surface_id
)
SELECT f.first_seq, s.surface_id, max(s.startup_seq)
FROM firsts f
JOIN seen s ON s.startup_seq < f.first_seq
WHERE f.first_ms >= $1 AND f.first_ms < $2
GROUP BY f.first_seq, s.surface_id
