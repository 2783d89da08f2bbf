-- name: belonging
SELECT name, epoch FROM belonging

-- name: bind
UPDATE belonging SET epoch = ? WHERE epoch IS NULL

-- name: name
INSERT INTO belonging (only, name) VALUES (1, ?) ON CONFLICT DO NOTHING
