INSERT INTO accounts (name, role, password_hash, created_at) VALUES (?, ?, ?, ?)
ON CONFLICT DO NOTHING
