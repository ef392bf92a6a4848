-- Every surface in order of first appearance (10.1).
WITH entries AS ({surface_entries}),
sizes AS (
    SELECT surface_id, sum(schema_bytes)::UBIGINT AS units, count(*) AS tools FROM entries GROUP BY surface_id
),
per_source AS (
    SELECT
        source, min(startup_seq) AS first_seq, arg_min(received_ms, startup_seq) AS first_ms, max(received_ms) AS last_ms,
        count(*) FILTER (alone) AS sessions
    FROM {use_rows} c
    GROUP BY source
),
others AS (
    SELECT k.surface_id, count(DISTINCT c.session) AS sessions
    FROM {use_rows} c
    JOIN sources_now k ON k.source = c.source
    WHERE NOT c.alone
    GROUP BY k.surface_id
)
SELECT
    k.surface_id,
    min(s.first_seq) AS first_seq,
    arg_min(s.first_ms, s.first_seq) AS first_ms,
    max(s.last_ms) AS last_ms,
    coalesce(any_value(z.units), 0)::UBIGINT,
    coalesce(any_value(z.tools), 0),
    (sum(s.sessions) + coalesce(any_value(o.sessions), 0))::BIGINT
FROM per_source s
JOIN sources_now k ON k.source = s.source
LEFT JOIN sizes z ON z.surface_id = k.surface_id
LEFT JOIN others o ON o.surface_id = k.surface_id
GROUP BY k.surface_id
ORDER BY first_seq
