-- Sessions that are looked at one by one.
CREATE OR REPLACE TEMP TABLE affected AS
WITH touched AS ({touched})
SELECT t.session_id, row_number() OVER ()::INTEGER AS session, false AS known, coalesce(k.first_seq, {above} + 1) AS first_seq
FROM touched t
LEFT JOIN worked_sessions k ON k.session_id = t.session_id;
