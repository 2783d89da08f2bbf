INSERT INTO files (id, room, user, name, media_type, blob, size, sha256, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
RETURNING seq
