-- What is shown of the sessions of a page (6.2).
WITH matching AS ({matching}),
counted AS (
    SELECT
        session,
        max(started_ms) AS last_ms,
        list(DISTINCT k.name ORDER BY k.name) AS clients,
        count(DISTINCT tool) AS tools,
        count(*) FILTER (good) AS ok,
        count(*) FILTER (outcome = 0 AND is_empty) AS empty,
        count(*) FILTER (outcome = 1) AS bad_args,
        count(*) FILTER (outcome = 2) AS tool_error,
        count(*) FILTER (outcome = 3) AS crashed,
        count(*) FILTER (in_sequence AND link_behind = 1) AS retried,
        count(*) FILTER (in_sequence AND good AND link_behind = 2) AS followed,
        sum(response_units)::UBIGINT AS units,
        bool_or(crowded) AS crowded
    FROM matching m
    JOIN clients_now k ON k.client = m.client
    WHERE session IN (SELECT session FROM session_page)
    GROUP BY session
)
SELECT
    p.session_id, p.first_ms, n.last_ms, n.clients, n.tools, n.ok, n.empty, n.bad_args, n.tool_error, n.crashed,
    n.retried, n.followed, n.units, n.crowded, s.sdk
FROM session_page p
JOIN counted n ON n.session = p.session
LEFT JOIN sources_now s ON s.source = p.first_source
ORDER BY p.first_ms DESC, p.session_id
