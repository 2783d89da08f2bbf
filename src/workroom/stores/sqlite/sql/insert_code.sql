INSERT INTO codes (kind, digest, user, role, room, expires_at, uses) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING
