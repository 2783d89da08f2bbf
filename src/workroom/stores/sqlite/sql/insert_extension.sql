INSERT INTO extensions (room, category, name, schema, schema_hash, runner, owner, policy, active, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, ?)
