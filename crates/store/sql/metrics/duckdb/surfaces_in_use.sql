-- Surfaces in use and their newest startup (5.1). $1 from, $2 to.
WITH in_use AS ({startups_in_use})
SELECT surface_id, max(seq) FROM in_use GROUP BY surface_id
