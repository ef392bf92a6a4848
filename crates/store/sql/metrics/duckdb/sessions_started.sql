-- Sessions with a matching call by the point of their first call of all (3.7).
WITH matching AS ({matching}),
dated AS (
    SELECT session_id, min(started_ms) AS date_ms
    FROM calls
    WHERE session_id IN (SELECT session_id FROM matching)
    GROUP BY session_id
)
SELECT e.position, count(*)
FROM dated d
JOIN series_edges e ON d.date_ms >= e.start_ms AND d.date_ms < e.end_ms
GROUP BY e.position
