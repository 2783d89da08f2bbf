INSERT INTO revocations (token, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING
