-- How wide the bin of a duration is: two per cent of it at most (its middle is then within one per cent). The edges of
-- 3.5 are edges of bins.
CASE
    WHEN duration_ms < 100 THEN 1
    WHEN duration_ms < 200 THEN 2
    WHEN duration_ms < 500 THEN 4
    WHEN duration_ms < 1000 THEN 10
    WHEN duration_ms < 2000 THEN 20
    WHEN duration_ms < 5000 THEN 40
    WHEN duration_ms < 10000 THEN 100
    WHEN duration_ms < 20000 THEN 200
    WHEN duration_ms < 50000 THEN 400
    WHEN duration_ms < 100000 THEN 1000
    WHEN duration_ms < 200000 THEN 2000
    WHEN duration_ms < 500000 THEN 4000
    WHEN duration_ms < 1000000 THEN 10000
    WHEN duration_ms < 2000000 THEN 20000
    WHEN duration_ms < 5000000 THEN 40000
    WHEN duration_ms < 10000000 THEN 100000
    WHEN duration_ms < 20000000 THEN 200000
    WHEN duration_ms < 50000000 THEN 400000
    ELSE 1000000
END
