-- Sessions in which nothing has happened for a while: their calls join the sums. Sessions that were among these and of
-- which something new has come are taken back.
CREATE OR REPLACE TEMP TABLE closing AS
SELECT session FROM fresh_sessions WHERE latest_ms <= {quiet_since}
UNION ALL
SELECT session FROM open_sessions WHERE latest_ms <= {quiet_since} AND session NOT IN (SELECT session FROM affected);

CREATE OR REPLACE TEMP TABLE closing_calls AS
SELECT * FROM fresh_calls WHERE session IN (SELECT session FROM closing)
UNION ALL
SELECT * FROM open_calls
WHERE session IN (SELECT session FROM closing) AND session NOT IN (SELECT session FROM affected);
