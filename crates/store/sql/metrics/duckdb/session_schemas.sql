-- Sessions with a matching call and a startup, and the size of the tool list of their first one (3.8).
WITH entries AS ({surface_entries}),
sizes AS (
    SELECT surface_id, sum(schema_bytes) AS units FROM entries c WHERE {named_tools} GROUP BY surface_id
),
counted AS (
    SELECT first_source, count(*) AS sessions FROM {session_rows} s WHERE {matched} GROUP BY first_source
)
SELECT coalesce(sum(s.sessions), 0)::BIGINT, coalesce(sum(s.sessions * z.units), 0)::UBIGINT
FROM counted s
JOIN sources_now k ON k.source = s.first_source
LEFT JOIN sizes z ON z.surface_id = k.surface_id
