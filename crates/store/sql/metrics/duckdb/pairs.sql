-- One tool followed by another (2.11, 6.4). $4 how many.
WITH matching AS ({matching}),
followers AS (
    SELECT seq, lead(tool_name) OVER (PARTITION BY session_id, client_name ORDER BY started_ms, seq) AS next_tool
    FROM calls
),
firsts AS (
    SELECT m.tool_name, n.next_tool FROM matching m JOIN followers n ON n.seq = m.seq WHERE m.in_sequence
),
totals AS (
    SELECT tool_name, count(*) AS calls FROM firsts GROUP BY tool_name
),
pairs AS (
    SELECT tool_name, next_tool, count(*) AS times
    FROM firsts c
    WHERE next_tool <> tool_name AND {either_tool}
    GROUP BY tool_name, next_tool
)
SELECT p.tool_name, p.next_tool, p.times, t.calls
FROM pairs p
JOIN totals t ON t.tool_name = p.tool_name
ORDER BY p.times DESC, p.tool_name, p.next_tool
LIMIT $4
