-- Numbers in place of names. Names without a number get one.
CREATE OR REPLACE TEMP TABLE tools_now AS
SELECT tool, name FROM tool_numbers
UNION ALL
SELECT ((SELECT count(*) FROM tool_numbers) + row_number() OVER (ORDER BY tool_name))::INTEGER, tool_name
FROM (SELECT DISTINCT tool_name FROM affected_rows WHERE tool_name NOT IN (SELECT name FROM tool_numbers));

CREATE OR REPLACE TEMP TABLE clients_now AS
SELECT client, name FROM client_numbers
UNION ALL
SELECT ((SELECT count(*) FROM client_numbers) + row_number() OVER (ORDER BY client_name))::INTEGER, client_name
FROM (
    SELECT client_name FROM affected_rows UNION SELECT client_name FROM affected_starts
    EXCEPT
    SELECT name FROM client_numbers
);

CREATE OR REPLACE TEMP TABLE sources_now AS
SELECT source, surface_id, sdk, mcp_sdk_version, protocol_version, transport FROM sources
UNION ALL
SELECT ((SELECT count(*) FROM sources) + row_number() OVER ())::INTEGER, *
FROM (
    SELECT surface_id, sdk, mcp_sdk_version, protocol_version, transport FROM affected_starts
    EXCEPT
    SELECT surface_id, sdk, mcp_sdk_version, protocol_version, transport FROM sources
);
