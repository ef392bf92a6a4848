INSERT INTO shapes
WITH matching AS ({matching}),
contributions AS ({shape_contributions})
SELECT {hour}, tool, client, source, run_steps, run_clean, sum(followed), sum(runs)
FROM contributions
GROUP BY ALL
HAVING sum(followed) <> 0 OR sum(runs) <> 0
ORDER BY ALL
