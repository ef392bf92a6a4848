-- What is kept of the affected sessions: as rows of `worked_calls`, `uses` and `worked_sessions`.
CREATE OR REPLACE TEMP TABLE call_startups AS {startup_of_call};

CREATE OR REPLACE TEMP TABLE fresh_calls AS
WITH facts AS ({facts})
SELECT
    c.seq, c.session, c.tool, c.client, coalesce(s.source, 0) AS source,
    c.received_ms, c.started_ms, c.duration_ms, c.outcome, c.response_units, c.is_empty,
    coalesce(f.link_behind, 0)::UTINYINT AS link_behind,
    f.run_steps::UINTEGER AS run_steps,
    f.run_clean,
    f.crowded,
    f.run_id = c.seq AS begins_run,
    CASE WHEN f.run_id = c.seq THEN f.run_latest_ms - c.started_ms ELSE 0 END AS run_lag_ms,
    row_number() OVER (PARTITION BY c.session ORDER BY c.started_ms, c.seq) = 1 AS begins_session,
    row_number() OVER (PARTITION BY c.session, c.tool ORDER BY c.started_ms, c.seq) = 1 AS begins_tool,
    row_number() OVER (PARTITION BY c.session, c.client ORDER BY c.started_ms, c.seq) = 1 AS begins_client,
    row_number() OVER (PARTITION BY c.session, c.client, c.tool ORDER BY c.started_ms, c.seq) = 1 AS begins_lane,
    -- 2.11
    coalesce(lead(c.tool) OVER (PARTITION BY c.session, c.client ORDER BY c.started_ms, c.seq), 0) AS next_tool
FROM affected_calls c
JOIN facts f ON f.seq = c.seq
JOIN call_startups k ON k.call_seq = c.seq
LEFT JOIN affected_startups s ON s.seq = k.startup_seq;

CREATE OR REPLACE TEMP TABLE fresh_uses AS
WITH moments AS (
    SELECT seq AS startup_seq, client, received_ms AS at_ms FROM affected_startups
    UNION ALL
    SELECT k.startup_seq, c.client, c.started_ms
    FROM call_startups k
    JOIN affected_calls c ON c.seq = k.call_seq
    WHERE k.startup_seq IS NOT NULL
),
spans AS (
    SELECT startup_seq, client, min(at_ms) AS from_ms, max(at_ms) AS to_ms FROM moments GROUP BY startup_seq, client
)
SELECT
    s.seq AS startup_seq, s.session, p.client, s.source, s.received_ms, p.client = s.client AS own, p.from_ms, p.to_ms,
    count(*) OVER (PARTITION BY s.session) = 1 AS alone
FROM spans p
JOIN affected_startups s ON s.seq = p.startup_seq;

CREATE OR REPLACE TEMP TABLE fresh_sessions AS
SELECT
    a.session, a.session_id, coalesce(least(c.first_seq, s.first_seq), a.first_seq) AS first_seq, c.first_ms, c.last_ms,
    coalesce(s.first_source, 0) AS first_source,
    greatest(c.latest_ms, s.latest_ms) AS latest_ms
FROM affected a
LEFT JOIN (
    SELECT session, min(seq) AS first_seq, min(started_ms) AS first_ms, max(started_ms) AS last_ms,
        max({latest}) AS latest_ms
    FROM affected_calls GROUP BY session
) c ON c.session = a.session
LEFT JOIN (
    SELECT session, min(seq) AS first_seq, arg_min(source, seq) AS first_source, max(received_ms) AS latest_ms
    FROM affected_startups GROUP BY session
) s ON s.session = a.session;
