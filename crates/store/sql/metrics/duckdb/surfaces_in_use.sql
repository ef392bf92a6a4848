-- Surfaces in use and their newest startup (5.1). $1 from, $2 to.
WITH in_use AS ({startups_in_use}),
per_source AS (SELECT source, max(startup_seq) AS newest FROM in_use GROUP BY source)
SELECT k.surface_id, max(s.newest) FROM per_source s JOIN sources_now k ON k.source = s.source GROUP BY k.surface_id
