INSERT INTO cells
WITH matching AS ({matching}),
contributions AS ({contributions})
SELECT
    {hour}, tool, client, source, sum(ok), sum(empty), sum(bad_args), sum(tool_error), sum(crashed), sum(units),
    max(max_units), min(first_ms), max(last_ms), max(newest_ms), sum(crowded_calls), sum(sequence_calls),
    sum(failed_calls), sum(empty_calls), sum(strict_calls), sum(retried_calls), sum(followed_calls), sum(sessions),
    sum(tool_sessions), sum(client_sessions), sum(lane_sessions)
FROM contributions
GROUP BY ALL
ORDER BY ALL
