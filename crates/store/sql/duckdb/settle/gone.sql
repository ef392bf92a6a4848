-- What the sums hold of sessions that are affected.
CREATE OR REPLACE TEMP TABLE gone_calls AS
SELECT * FROM worked_calls
WHERE {some_gone} AND session IN (SELECT session FROM affected WHERE known AND session NOT IN (SELECT session FROM open_sessions));
