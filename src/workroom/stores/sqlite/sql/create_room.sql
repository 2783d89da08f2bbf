INSERT INTO rooms (name, owner, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING
