-- 2.12: the session's startup before the call, else its first one.
SELECT m.seq AS call_seq, coalesce(before_it.seq, first_one.seq) AS startup_seq
FROM affected_calls m
ASOF LEFT JOIN affected_startups before_it ON before_it.session = m.session AND m.seq > before_it.seq
LEFT JOIN (SELECT session, min(seq) AS seq FROM affected_startups GROUP BY session) first_one
    ON first_one.session = m.session
