SELECT session_id, min(seq) AS first_seq
FROM (
    SELECT session_id, seq FROM calls WHERE seq > {above} AND seq <= {upto}
    UNION ALL
    SELECT session_id, seq FROM startups WHERE seq > {above} AND seq <= {upto}
)
GROUP BY session_id
