-- Startups in use in a range, by whom (5.1). $1 from, $2 to. What was in use both before and after needs a closer look.
SELECT *
FROM {use_rows} c
WHERE {clients}
  AND ((from_ms >= $1 AND from_ms < $2) OR (to_ms >= $1 AND to_ms < $2)
       OR (own AND received_ms >= $1 AND received_ms < $2)
       OR (from_ms < $1 AND to_ms >= $2
           AND EXISTS (FROM spanning_uses p WHERE p.startup_seq = c.startup_seq AND p.client = c.client)))
