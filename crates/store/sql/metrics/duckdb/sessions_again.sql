-- Sessions (of a tool, of a client) with matching calls of which none is the first: their first call lies before the
-- range, so that no sum has counted them.
WITH matching AS ({matching}),
again AS (
    SELECT {entity}, bool_or({begins}) AS counted
    FROM matching c
    WHERE session IN (SELECT session FROM crossing)
    GROUP BY {entity}
)
SELECT {keys}, count(*) FROM again m {joins} WHERE NOT counted GROUP BY ALL HAVING count(*) > 0
