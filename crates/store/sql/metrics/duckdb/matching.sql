-- The calls of a slice with the facts about them. $1 from, $2 to (both ms), $3 settled as of. Rows whose `n` is -1 take
-- back what sums over settled calls say of them.
SELECT c.*,
    {good} AS good,
    {latest} <= $3 AS settled,
    {latest} <= $3 AND NOT c.crowded AS in_sequence
FROM {rows} c
WHERE c.started_ms >= $1 AND c.started_ms < $2
  AND {tools}
  AND {clients}
