-- First and last start and number of a session's calls, and how many startups it sent. $1 session.
SELECT
    min(started_ms), max(started_ms), count(*),
    (SELECT count(*) FROM startups WHERE session_id = $1)
FROM calls
WHERE session_id = $1
