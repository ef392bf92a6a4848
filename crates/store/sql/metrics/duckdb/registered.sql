-- Tools of surfaces in use (5.3). $1 from, $2 to.
WITH in_use AS ({startups_in_use}),
entries AS ({surface_entries})
SELECT
    c.tool_name,
    arg_max(c.schema_bytes, s.seq) AS schema_units,
    -- Wrapped, because arg_max passes over what is NULL.
    arg_max({policy: c.policy}, s.seq).policy AS policy,
    count(DISTINCT s.session_id) AS sessions
FROM in_use s
JOIN entries c ON c.surface_id = s.surface_id
WHERE {tools}
GROUP BY c.tool_name
