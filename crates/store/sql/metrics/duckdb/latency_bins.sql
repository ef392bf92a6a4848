-- Percentiles of durations to within 1 % (3.4): the middle of the bin that holds the value of the nearest rank.
WITH bins AS ({bins}),
ranked AS (
    SELECT *,
        sum(calls) OVER (PARTITION BY {key_names} ORDER BY bin) AS upto,
        sum(calls) OVER (PARTITION BY {key_names}) AS total
    FROM bins
),
found AS (
    SELECT {key_names},
        unnest([
            min(bin) FILTER (upto * 100 >= total * 50), min(bin) FILTER (upto * 100 >= total * 90),
            min(bin) FILTER (upto * 100 >= total * 95), min(bin) FILTER (upto * 100 >= total * 99)
        ]) AS duration_ms,
        unnest([50, 90, 95, 99]) AS percent
    FROM ranked
    GROUP BY {key_names}
),
middles AS (
    SELECT *, (duration_ms + ({width} - 1) // 2)::UINTEGER AS middle FROM found
)
SELECT {key_names},
    any_value(middle) FILTER (percent = 50), any_value(middle) FILTER (percent = 90),
    any_value(middle) FILTER (percent = 95), any_value(middle) FILTER (percent = 99)
FROM middles
GROUP BY {key_names}
