-- Follow-ups by the shape of their run (4.3), and the data of the fit: clean, uncrowded runs all of whose calls are
-- settled, where they begin (4.6).
SELECT
    started_ms, tool, client, source, run_steps, run_clean,
    n * (in_sequence AND good AND link_behind = 2)::INTEGER AS followed,
    n * (begins_run AND run_clean AND NOT crowded AND started_ms + run_lag_ms <= $3)::INTEGER AS runs
FROM matching
WHERE link_behind = 2 OR begins_run
