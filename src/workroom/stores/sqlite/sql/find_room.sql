SELECT name, owner, title, private, created_at, deleted FROM rooms WHERE name = ?
