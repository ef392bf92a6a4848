-- Sessions about which something is not worked out yet, with their numbers.
CREATE OR REPLACE TEMP TABLE affected AS
WITH touched AS ({touched})
SELECT
    t.session_id,
    coalesce(
        k.session,
        (SELECT coalesce(max(session), 0) FROM worked_sessions) + row_number() OVER (ORDER BY t.first_seq, t.session_id)
    )::INTEGER AS session,
    k.session IS NOT NULL AS known,
    least(t.first_seq, k.first_seq) AS first_seq
FROM touched t
LEFT JOIN worked_sessions k ON k.session_id = t.session_id;
