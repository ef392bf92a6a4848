-- The data of the fit (4.6): clean, uncrowded runs that began in the range, all of whose calls are settled.
-- $1 from, $2 to, $3 settled as of.
WITH runs AS (
    SELECT f.run_id, any_value(c.tool_name) AS tool_name, any_value(f.run_steps) AS run_steps
    FROM call_facts f
    JOIN calls c ON c.seq = f.seq
    WHERE f.run_start_ms >= $1 AND f.run_start_ms < $2 AND f.run_clean AND NOT f.crowded
    GROUP BY f.run_id
    HAVING max(f.latest_ms) <= $3
)
SELECT tool_name, run_steps, count(*) FROM runs GROUP BY ALL
