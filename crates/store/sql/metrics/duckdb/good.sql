outcome = 0 AND NOT is_empty
