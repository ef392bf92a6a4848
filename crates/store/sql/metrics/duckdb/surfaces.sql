-- Every surface in order of first appearance (10.1).
WITH entries AS ({surface_entries}),
sizes AS (
    SELECT surface_id, sum(schema_bytes)::UBIGINT AS units, count(*) AS tools FROM entries GROUP BY surface_id
)
SELECT
    s.surface_id,
    min(s.seq) AS first_seq,
    arg_min(s.received_ms, s.seq) AS first_ms,
    max(s.received_ms) AS last_ms,
    coalesce(any_value(z.units), 0)::UBIGINT,
    coalesce(any_value(z.tools), 0),
    count(DISTINCT s.session_id)
FROM startups s
LEFT JOIN sizes z ON z.surface_id = s.surface_id
GROUP BY s.surface_id
ORDER BY first_seq
