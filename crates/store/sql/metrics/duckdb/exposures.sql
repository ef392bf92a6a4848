-- Settled calls, of any tool, whose surface has the tool (9.7).
WITH matching AS ({matching}),
call_startups AS ({startup_of_call}),
entries AS ({surface_entries}),
per_surface AS (
    SELECT u.surface_id, count(*) AS calls
    FROM matching m
    JOIN call_startups k ON k.call_seq = m.seq
    JOIN startups u ON u.seq = k.startup_seq
    WHERE m.settled
    GROUP BY u.surface_id
)
SELECT e.tool_name, sum(p.calls)::BIGINT
FROM per_surface p
JOIN entries e ON e.surface_id = p.surface_id
GROUP BY e.tool_name
