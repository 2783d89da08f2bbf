SELECT 1 FROM rooms WHERE name = ? AND deleted
