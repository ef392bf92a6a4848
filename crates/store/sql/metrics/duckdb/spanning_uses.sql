-- Of the startups of some sessions, those with a call in the range, by client. $1 from, $2 to.
WITH call_startups AS ({startup_of_call})
SELECT DISTINCT k.startup_seq, c.client
FROM call_startups k
JOIN affected_calls c ON c.seq = k.call_seq
WHERE c.started_ms >= $1 AND c.started_ms < $2 AND k.startup_seq IS NOT NULL
