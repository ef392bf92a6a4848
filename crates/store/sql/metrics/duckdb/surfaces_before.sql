-- For each surface that first arrived in the range, those seen before and their latest startup (10.2). $1 from, $2 to.
WITH firsts AS (
    SELECT surface_id, min(seq) AS first_seq, arg_min(received_ms, seq) AS first_ms FROM startups GROUP BY surface_id
)
SELECT f.first_seq, s.surface_id, max(s.seq)
FROM firsts f
JOIN startups s ON s.seq < f.first_seq
WHERE f.first_ms >= $1 AND f.first_ms < $2
GROUP BY f.first_seq, s.surface_id
