-- A page of a session's calls with their facts (6.3). $1 settled as of, $2 and $3 start and seq of the call before the
-- page (NULL: from the start), $4 how many.
WITH facts AS ({facts}),
matching AS (
    SELECT c.*, f.* EXCLUDE (seq) FROM affected_calls c JOIN facts f ON f.seq = c.seq
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
    JOIN affected_calls s ON s.seq = m.step_id
    JOIN affected_calls r ON r.seq = m.run_id
    JOIN affected_calls g ON g.seq = m.group_id
)
SELECT
    p.seq, p.received_ms, a.session_id, k.name, t.name, p.started_ms, p.duration_ms, p.outcome, p.is_empty,
    p.response_units, p.args_hash,
    p.step, p.repeat, p.run, p.run_steps, p.run_clean, p.link, p.link_behind, p.good, p.crowded,
    p.latest_ms <= $1 AS settled,
    u.surface_id
FROM placed p
JOIN affected a ON a.session = p.session
JOIN tools_now t ON t.tool = p.tool
JOIN clients_now k ON k.client = p.client
JOIN call_startups c ON c.call_seq = p.seq
LEFT JOIN affected_startups u ON u.seq = c.startup_seq
WHERE $2::BIGINT IS NULL OR p.started_ms > $2 OR (p.started_ms = $2 AND p.seq > $3)
ORDER BY p.started_ms, p.seq
LIMIT $4
