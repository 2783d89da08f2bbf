-- the room's own first, then public
SELECT id, room, category, name, schema, schema_hash, runner, owner, policy, active FROM extensions
WHERE room IN (?, '') AND category = ? AND name = ? AND active = 1
ORDER BY room DESC LIMIT 1
