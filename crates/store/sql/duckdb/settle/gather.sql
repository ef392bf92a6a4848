-- Everything the affected sessions ever sent.
CREATE OR REPLACE TEMP TABLE affected_rows AS
SELECT c.* EXCLUDE (key_id, session_id), a.session
FROM calls c
JOIN affected a ON a.session_id = c.session_id
WHERE c.seq >= {low} AND c.seq <= {upto};

CREATE OR REPLACE TEMP TABLE affected_starts AS
SELECT s.* EXCLUDE (key_id, session_id), a.session
FROM startups s
JOIN affected a ON a.session_id = s.session_id
WHERE s.seq >= {low} AND s.seq <= {upto};
