-- A session's startups by order of arrival. $1 session.
WITH entries AS ({surface_entries}),
sizes AS (
    SELECT surface_id, sum(schema_bytes)::UBIGINT AS units, count(*) AS tools FROM entries GROUP BY surface_id
)
SELECT
    s.seq, s.received_ms, s.client_name, s.surface_id, coalesce(z.tools, 0), coalesce(z.units, 0)::UBIGINT,
    s.sdk, s.mcp_sdk_version, s.protocol_version, s.transport
FROM startups s
LEFT JOIN sizes z ON z.surface_id = s.surface_id
WHERE s.session_id = $1
ORDER BY s.seq
