INSERT INTO forms (user, room, category, name, data) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (user, room, category, name) DO UPDATE SET data = excluded.data WHERE data <> excluded.data
