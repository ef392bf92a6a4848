-- A page of a session's calls with their facts (6.3). $1 session, $2 settled as of, $3 and $4 start and seq of the call
-- before the page (NULL: from the start), $5 how many.
WITH matching AS (
    SELECT c.*, f.* EXCLUDE (seq) FROM calls c JOIN call_facts f ON f.seq = c.seq WHERE c.session_id = $1
),
call_startups AS ({startup_of_call}),
-- A step (run, group) is named by its first call, whose place in the order of 2.4 is its own.
placed AS (
    SELECT
        m.*,
        dense_rank() OVER (ORDER BY s.started_ms, s.started_ms + s.duration_ms, s.args_hash, s.seq) AS step,
        dense_rank() OVER (ORDER BY r.started_ms, r.started_ms + r.duration_ms, r.args_hash, r.seq) AS run,
        dense_rank() OVER (PARTITION BY m.step_id ORDER BY g.started_ms) - 1 AS repeat
    FROM matching m
    JOIN calls s ON s.seq = m.step_id
    JOIN calls r ON r.seq = m.run_id
    JOIN calls g ON g.seq = m.group_id
)
SELECT
    p.seq, p.received_ms, p.session_id, p.client_name, p.tool_name, p.started_ms, p.duration_ms, p.outcome, p.is_empty,
    p.response_units, p.args_hash,
    p.step, p.repeat, p.run, p.run_steps, p.run_clean, p.link, p.link_behind, p.good, p.crowded,
    p.latest_ms <= $2 AS settled,
    u.surface_id
FROM placed p
JOIN call_startups k ON k.call_seq = p.seq
LEFT JOIN startups u ON u.seq = k.startup_seq
WHERE $3::BIGINT IS NULL OR p.started_ms > $3 OR (p.started_ms = $3 AND p.seq > $4)
ORDER BY p.started_ms, p.seq
LIMIT $5
