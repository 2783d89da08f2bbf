SELECT id, room, category, name, schema, schema_hash, runner, owner, policy, active FROM extensions
WHERE room = ? AND category = ? AND name = ?
