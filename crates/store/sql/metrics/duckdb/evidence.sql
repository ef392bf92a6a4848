-- What judgements about tools rest on (9.3, 9.4).
WITH matching AS ({matching})
SELECT
    any_value(t.name),
    count(*) AS settled,
    count(*) FILTER (outcome = 0 AND is_empty) AS empty,
    count(*) FILTER (duration_ms > 2000) AS slow,
    count(*) FILTER (good) AS good,
    avg(response_units) FILTER (good) AS mean_units,
    avg(ln(greatest(response_units, 1))) FILTER (good) AS mean_log,
    var_samp(ln(greatest(response_units, 1))) FILTER (good) AS variance_log
FROM matching m
JOIN tools_now t ON t.tool = m.tool
WHERE settled
GROUP BY m.tool
