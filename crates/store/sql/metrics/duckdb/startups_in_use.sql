-- Startups in use in a range (5.1). $1 from, $2 to.
WITH matching AS (
    SELECT c.seq, c.session_id FROM calls c WHERE c.started_ms >= $1 AND c.started_ms < $2 AND {clients}
),
call_startups AS ({startup_of_call})
SELECT s.*
FROM startups s
WHERE s.seq IN (
    SELECT c.seq FROM startups c WHERE c.received_ms >= $1 AND c.received_ms < $2 AND {clients}
    UNION
    SELECT startup_seq FROM call_startups WHERE startup_seq IS NOT NULL
)
