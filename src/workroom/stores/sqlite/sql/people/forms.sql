-- name: save_form
INSERT INTO forms (user, room, category, name, data, secrets) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (user, room, category, name) DO UPDATE SET data = excluded.data, secrets = excluded.secrets
WHERE data <> excluded.data OR secrets IS NOT excluded.secrets

-- name: last_values
SELECT data FROM forms WHERE user = ? AND room = ? AND category = ? AND name = ?

-- name: last_secrets
SELECT secrets FROM forms WHERE user = ? AND room = ? AND category = ? AND name = ?
