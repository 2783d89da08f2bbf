INSERT INTO jobs (seq, id, room, extension, user, data, schema_hash, priority, retry_of, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
