-- Counts for first-call figures (4.2), split by a key and by tool; follow-ups also by the shape of their run (4.3).
WITH matching AS ({matching}){with}
SELECT
    {keys},
    m.tool_name AS own_tool,
    CASE WHEN in_sequence AND good AND link_behind = 2 THEN run_steps END AS followed_steps,
    CASE WHEN in_sequence AND good AND link_behind = 2 THEN run_clean END AS followed_clean,
    count(*) FILTER (settled) AS settled_calls,
    count(*) FILTER (settled AND good) AS good_calls,
    count(*) FILTER (in_sequence) AS sequence_calls,
    count(*) FILTER (in_sequence AND outcome <> 0) AS failed_calls,
    count(*) FILTER (in_sequence AND outcome = 0 AND is_empty) AS empty_calls,
    count(*) FILTER (in_sequence AND good AND link_behind IS NULL) AS strict_calls,
    count(*) FILTER (in_sequence AND good AND link_behind = 1) AS retried_calls,
    count(*) FILTER (in_sequence AND good AND link_behind = 2) AS followed_calls
FROM matching m
{joins}
WHERE settled
GROUP BY ALL
HAVING count(*) > 0
