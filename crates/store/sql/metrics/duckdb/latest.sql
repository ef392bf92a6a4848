greatest(started_ms + duration_ms, received_ms)
