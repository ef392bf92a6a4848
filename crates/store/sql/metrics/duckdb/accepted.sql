-- Accepted payloads by day of arrival and key: what is added up already, and what came since. Days since 1970.
SELECT day, key_id, calls, startups, agreements, last_ms FROM arrivals
UNION ALL
{arrived}
