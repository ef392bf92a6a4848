-- What was worked out takes the place of what was known before.
INSERT INTO tool_numbers SELECT * FROM tools_now WHERE tool > (SELECT count(*) FROM tool_numbers);
INSERT INTO client_numbers SELECT * FROM clients_now WHERE client > (SELECT count(*) FROM client_numbers);
INSERT INTO sources SELECT * FROM sources_now WHERE source > (SELECT count(*) FROM sources);

DELETE FROM open_calls
WHERE session IN (SELECT session FROM affected WHERE known UNION ALL SELECT session FROM closing);
DELETE FROM open_sessions
WHERE session IN (SELECT session FROM affected WHERE known UNION ALL SELECT session FROM closing);
DELETE FROM worked_calls WHERE {some_gone} AND session IN (SELECT session FROM gone_calls);
DELETE FROM worked_sessions WHERE {some_known} AND session IN (SELECT session FROM affected WHERE known);
DELETE FROM uses WHERE {some_known} AND session IN (SELECT session FROM affected WHERE known);

INSERT INTO worked_sessions SELECT * EXCLUDE (latest_ms) FROM fresh_sessions ORDER BY session;
INSERT INTO uses SELECT * FROM fresh_uses ORDER BY startup_seq;
INSERT INTO open_sessions
SELECT session, latest_ms FROM fresh_sessions WHERE session NOT IN (SELECT session FROM closing);
INSERT INTO open_calls SELECT * FROM fresh_calls WHERE session NOT IN (SELECT session FROM closing);
INSERT INTO worked_calls SELECT * REPLACE (0 AS run_lag_ms) FROM closing_calls ORDER BY started_ms, seq;
