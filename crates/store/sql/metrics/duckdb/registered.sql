-- Tools of surfaces in use (5.3). $1 from, $2 to.
WITH in_use AS ({startups_in_use}),
entries AS ({surface_entries}),
per_source AS (
    SELECT source, max(startup_seq) AS newest, count(*) FILTER (alone) AS sessions FROM in_use GROUP BY source
),
-- Sessions with more than one startup or client are counted one by one.
others AS (
    SELECT DISTINCT u.session, k.surface_id FROM in_use u JOIN sources_now k ON k.source = u.source WHERE NOT u.alone
),
others_per_tool AS (
    SELECT c.tool_name, count(DISTINCT o.session) AS sessions
    FROM others o
    JOIN entries c ON c.surface_id = o.surface_id
    GROUP BY c.tool_name
)
SELECT
    c.tool_name,
    arg_max(c.schema_bytes, s.newest) AS schema_units,
    -- Wrapped, because arg_max passes over what is NULL.
    arg_max({policy: c.policy}, s.newest).policy AS policy,
    (sum(s.sessions) + coalesce(any_value(o.sessions), 0))::BIGINT AS sessions
FROM per_source s
JOIN sources_now k ON k.source = s.source
JOIN entries c ON c.surface_id = k.surface_id
LEFT JOIN others_per_tool o ON o.tool_name = c.tool_name
WHERE {named_tools}
GROUP BY c.tool_name
