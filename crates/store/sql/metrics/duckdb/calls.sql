-- A page of matching calls in order of arrival (6.5). $1 from, $2 to, $3 above and $4 below this seq, $5 how many.
SELECT
    seq, received_ms, session_id, client_name, tool_name, started_ms, duration_ms, outcome, is_empty, response_units,
    args_hash
FROM calls c
WHERE started_ms >= $1 AND started_ms < $2
  AND seq > $3 AND seq < $4
  AND {tools}
  AND {clients}
ORDER BY seq {direction}
LIMIT $5
