INSERT INTO rooms (name, owner, title, private, created_at) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING
