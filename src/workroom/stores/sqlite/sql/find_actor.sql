SELECT id, room, category, name, schema, schema_hash, runner, owner, policy, active FROM extensions
WHERE room = '' AND active = 1 AND json_extract(policy, '$.actor') = ?
ORDER BY id LIMIT 1
