INSERT INTO forms (user, room, category, name, data, saved_at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (user, room, category, name) DO UPDATE SET data = excluded.data, saved_at = excluded.saved_at
