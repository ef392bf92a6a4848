-- The tools of surfaces; a name listed twice has its first entry (5.2).
SELECT DISTINCT ON (surface_id, tool_name) *
FROM surface_tools
ORDER BY surface_id, tool_name, position
