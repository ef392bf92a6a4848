-- Fields and tools that startups in use declare (8.1). $1 from, $2 to.
WITH in_use AS ({startups_in_use})
SELECT DISTINCT field, tools FROM declared_agreements WHERE startup_seq IN (SELECT startup_seq FROM in_use)
