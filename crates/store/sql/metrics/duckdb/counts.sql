-- Counts of calls (3.2, 4.2), split by a key: sums over settled hours, and the calls that are in no such sum.
WITH matching AS ({matching}),
contributions AS ({contributions}),
counted AS (
    SELECT {row_point} AS point, m.* EXCLUDE (started_ms) FROM contributions m {row_join}
    UNION ALL BY NAME
    SELECT
        {cell_point} AS point, c.* EXCLUDE (hour), ok AS settled_ok, empty AS settled_empty, bad_args AS settled_bad_args,
        tool_error AS settled_tool_error, crashed AS settled_crashed
    FROM cells c {cell_join}
    WHERE {whole} AND {tools} AND {clients}
)
SELECT
    {keys},
    sum(ok)::BIGINT, sum(empty)::BIGINT, sum(bad_args)::BIGINT, sum(tool_error)::BIGINT, sum(crashed)::BIGINT,
    sum(settled_ok)::BIGINT, sum(settled_empty)::BIGINT, sum(settled_bad_args)::BIGINT,
    sum(settled_tool_error)::BIGINT, sum(settled_crashed)::BIGINT,
    sum(units)::UBIGINT, max(max_units), min(first_ms), max(last_ms), max(newest_ms),
    sum(CASE WHEN {known_client} THEN ok + empty + bad_args + tool_error + crashed ELSE 0 END)::BIGINT,
    sum(crowded_calls)::BIGINT,
    sum(sequence_calls)::BIGINT, sum(failed_calls)::BIGINT, sum(empty_calls)::BIGINT, sum(strict_calls)::BIGINT,
    sum(retried_calls)::BIGINT,
    sum({sessions})::BIGINT
FROM counted m
{joins}
GROUP BY ALL
HAVING sum(ok + empty + bad_args + tool_error + crashed) > 0
