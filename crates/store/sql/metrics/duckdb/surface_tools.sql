-- Every tool of every surface (5.2).
WITH entries AS ({surface_entries})
SELECT surface_id, tool_name, schema_bytes, schema_hash, description_hash, description_norm, policy FROM entries
