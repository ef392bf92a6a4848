-- Verdicts by field and pair (8.1). $1 from, $2 to.
SELECT
    field, tool_a, tool_b, count(*), count(*) FILTER (agreed), max(checked_ms) FILTER (NOT agreed)
FROM agreements
WHERE checked_ms >= $1 AND checked_ms < $2
  AND {either_tool}
  AND {session_of_client}
GROUP BY field, tool_a, tool_b
