INSERT INTO members (room, user) VALUES (?, ?) ON CONFLICT DO NOTHING
