-- The same with numbers in place of names.
CREATE OR REPLACE TEMP TABLE affected_calls AS
SELECT c.* EXCLUDE (client_name, tool_name), t.tool, k.client
FROM affected_rows c
JOIN tools_now t ON t.name = c.tool_name
JOIN clients_now k ON k.name = c.client_name;

CREATE OR REPLACE TEMP TABLE affected_startups AS
SELECT s.seq, s.session, s.received_ms, s.surface_id, k.client, n.source
FROM affected_starts s
JOIN clients_now k ON k.name = s.client_name
JOIN sources_now n
    ON n.surface_id = s.surface_id
    AND n.sdk IS NOT DISTINCT FROM s.sdk
    AND n.mcp_sdk_version IS NOT DISTINCT FROM s.mcp_sdk_version
    AND n.protocol_version IS NOT DISTINCT FROM s.protocol_version
    AND n.transport IS NOT DISTINCT FROM s.transport;
