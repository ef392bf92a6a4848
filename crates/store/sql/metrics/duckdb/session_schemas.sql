-- Sessions with a matching call and a startup, and the size of the tool list of their first one (3.8).
WITH matching AS ({matching}),
entries AS ({surface_entries}),
sizes AS (
    SELECT surface_id, sum(schema_bytes) AS units FROM entries c WHERE {tools} GROUP BY surface_id
),
first_startups AS (
    SELECT session_id, arg_min(surface_id, seq) AS surface_id
    FROM startups
    WHERE session_id IN (SELECT session_id FROM matching)
    GROUP BY session_id
)
SELECT count(*), coalesce(sum(z.units), 0)::UBIGINT
FROM first_startups s
LEFT JOIN sizes z ON z.surface_id = s.surface_id
