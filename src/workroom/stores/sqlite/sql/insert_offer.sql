INSERT INTO offers (worker, extension) VALUES (?, ?) ON CONFLICT DO NOTHING
