INSERT INTO jobs (seq, id, room, extension, user, data, schema_hash, priority, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
