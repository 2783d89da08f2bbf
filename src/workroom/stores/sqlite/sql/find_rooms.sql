SELECT name, owner, created_at FROM rooms WHERE :name IS NULL OR name = :name ORDER BY name
