-- The calls of a slice with the facts about them. $1 from, $2 to (both ms), $3 settled as of.
SELECT c.*, f.* EXCLUDE (seq),
    f.latest_ms <= $3 AS settled,
    f.latest_ms <= $3 AND NOT f.crowded AS in_sequence
FROM calls c
JOIN call_facts f ON f.seq = c.seq
WHERE c.started_ms >= $1 AND c.started_ms < $2
  AND {tools}
  AND {clients}
