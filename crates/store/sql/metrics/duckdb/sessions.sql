-- A page of sessions, newest first (6.2). $4 and $5 date and id of the one before the page (NULL: from the start),
-- $6 how many.
WITH matching AS ({matching}),
counted AS (
    SELECT
        session_id,
        max(started_ms) AS last_ms,
        list(DISTINCT client_name ORDER BY client_name) AS clients,
        count(DISTINCT tool_name) AS tools,
        count(*) FILTER (outcome = 0 AND NOT is_empty) AS ok,
        count(*) FILTER (outcome = 0 AND is_empty) AS empty,
        count(*) FILTER (outcome = 1) AS bad_args,
        count(*) FILTER (outcome = 2) AS tool_error,
        count(*) FILTER (outcome = 3) AS crashed,
        count(*) FILTER (in_sequence AND link_behind = 1) AS retried,
        count(*) FILTER (in_sequence AND good AND link_behind = 2) AS followed,
        sum(response_units)::UBIGINT AS units,
        bool_or(crowded) AS crowded
    FROM matching
    GROUP BY session_id
),
dated AS (
    SELECT session_id, min(started_ms) AS date_ms
    FROM calls
    WHERE session_id IN (SELECT session_id FROM counted)
    GROUP BY session_id
),
first_startups AS (
    SELECT session_id, arg_min({sdk: sdk}, seq).sdk AS sdk FROM startups GROUP BY session_id
)
SELECT
    n.session_id, d.date_ms, n.last_ms, n.clients, n.tools, n.ok, n.empty, n.bad_args, n.tool_error, n.crashed,
    n.retried, n.followed, n.units, n.crowded, s.sdk
FROM counted n
JOIN dated d ON d.session_id = n.session_id
LEFT JOIN first_startups s ON s.session_id = n.session_id
WHERE $4::BIGINT IS NULL OR d.date_ms < $4 OR (d.date_ms = $4 AND n.session_id > $5)
ORDER BY d.date_ms DESC, n.session_id
LIMIT $6
