INSERT INTO belonging (only, name) VALUES (1, ?) ON CONFLICT DO NOTHING
