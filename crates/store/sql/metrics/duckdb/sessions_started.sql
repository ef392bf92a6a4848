-- Sessions with a matching call by the point of their first call of all (3.7).
SELECT e.position, count(*)
FROM {session_rows} s
JOIN series_edges e ON s.first_ms >= e.start_ms AND s.first_ms < e.end_ms
WHERE {matched}
GROUP BY e.position
