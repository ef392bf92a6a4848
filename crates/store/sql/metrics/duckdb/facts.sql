-- What is known about every call from the calls around it: docs/metrics.md, section 2.
-- Read from top to bottom: calls -> groups -> steps -> runs, and back to one row a call.
--
-- Groups, steps and runs are named by the `seq` of their first call, so names do not depend on what else is stored:
-- the rows of a lane can be worked out again without touching any other lane. `affected_calls` holds every call of the
-- sessions that are looked at: all of the server's, or those about which something new is known.
WITH ordered AS (
    SELECT
        seq, session, client, tool, started_ms, args_hash,
        started_ms + duration_ms AS end_ms,
        {latest} AS latest_ms,
        {good} AS good,
        lag(started_ms) OVER lane AS start_before,
        max(started_ms + duration_ms) OVER (lane ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS end_before
    FROM affected_calls
    WINDOW lane AS (
        PARTITION BY session, client, tool
        ORDER BY started_ms, started_ms + duration_ms, args_hash, seq
    )
),
-- Parallel calls share a group (2.5).
grouped AS (
    SELECT *,
        last_value(CASE WHEN start_before IS NULL OR (started_ms <> start_before AND started_ms >= end_before)
                        THEN seq END IGNORE NULLS) OVER (
            PARTITION BY session, client, tool ORDER BY started_ms, end_ms, args_hash, seq
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS group_id
    FROM ordered
),
groups AS (
    SELECT
        group_id,
        any_value(session) AS session,
        any_value(client) AS client,
        any_value(tool) AS tool,
        min(started_ms) AS start_ms,
        max(end_ms) AS end_ms,
        bool_and(good) AS good,
        max(latest_ms) AS latest_ms,
        min(args_hash) <> 0 AS comparable,
        list(DISTINCT args_hash ORDER BY args_hash) AS hashes
    FROM grouped
    GROUP BY group_id
),
-- Groups of a lane do not overlap, so the one before in order of start is also the last to have ended.
followed AS (
    SELECT *,
        start_ms - lag(end_ms) OVER lane <= 30000 AS follows_on,
        lag(comparable) OVER lane AS comparable_before,
        lag(hashes) OVER lane AS hashes_before
    FROM groups
    WINDOW lane AS (PARTITION BY session, client, tool ORDER BY start_ms, group_id)
),
-- A group with the arguments of the one before repeats that one's step (2.8); one too late for it begins a run (2.9).
stepped AS (
    SELECT *,
        last_value(CASE WHEN NOT coalesce(follows_on AND comparable AND comparable_before AND hashes = hashes_before, false)
                        THEN group_id END IGNORE NULLS) OVER up_to_here AS step_id,
        last_value(CASE WHEN NOT coalesce(follows_on, false) THEN group_id END IGNORE NULLS) OVER up_to_here AS run_id
    FROM followed
    WINDOW up_to_here AS (
        PARTITION BY session, client, tool ORDER BY start_ms, group_id
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    )
),
steps AS (
    SELECT
        step_id,
        any_value(run_id) AS run_id,
        min(start_ms) AS start_ms,
        arg_max(good, start_ms) AS good,
        max(latest_ms) AS latest_ms,
        bool_and(comparable) AS comparable
    FROM stepped
    GROUP BY step_id
),
-- 2.10: a link lies between steps of one run whose arguments can be compared.
linked AS (
    SELECT *,
        CASE WHEN comparable AND lag(comparable) OVER run
             THEN CASE WHEN lag(good) OVER run THEN 2 ELSE 1 END END AS link,
        CASE WHEN comparable AND lead(comparable) OVER run
             THEN CASE WHEN good THEN 2 ELSE 1 END END AS link_behind
    FROM steps
    WINDOW run AS (PARTITION BY run_id ORDER BY start_ms, step_id)
),
runs AS (
    SELECT run_id, count(*) AS run_steps, bool_and(good) AS run_clean, max(latest_ms) AS run_latest_ms
    FROM linked
    GROUP BY run_id
),
-- 2.3: by session and client, over all tools.
paced AS (
    SELECT session, client,
        started_ms - lag(started_ms, 60) OVER pair < 60000 OR started_ms - lag(started_ms, 600) OVER pair < 3600000 AS busy
    FROM affected_calls
    WINDOW pair AS (PARTITION BY session, client ORDER BY started_ms)
),
crowded AS (
    SELECT session, client FROM paced GROUP BY ALL HAVING coalesce(bool_or(busy), false)
)
SELECT
    c.seq,
    c.latest_ms,
    c.good,
    g.group_id,
    g.step_id,
    g.run_id,
    l.link,        -- 1 retry, 2 follow-up: what its step is to the one before
    l.link_behind, -- the same of the step after its own
    r.run_steps,
    r.run_clean,
    r.run_latest_ms,
    x.session IS NOT NULL AS crowded
FROM grouped c
JOIN stepped g ON g.group_id = c.group_id
JOIN linked l ON l.step_id = g.step_id
JOIN runs r ON r.run_id = g.run_id
LEFT JOIN crowded x ON x.session = c.session AND x.client = c.client
