-- A largest or latest value cannot be taken back from a sum. Only calls without a startup can get another key (when
-- their session's startup comes), so the sums of such calls are made anew for the hours of those that are taken back.
CREATE OR REPLACE TEMP TABLE sourceless_hours AS
SELECT DISTINCT {hour} AS hour FROM gone_calls WHERE source = 0;
DELETE FROM cells WHERE source = 0 AND hour IN (SELECT hour FROM sourceless_hours);
