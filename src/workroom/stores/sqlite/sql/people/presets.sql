-- name: save_preset
INSERT INTO presets (room, holder, category, extension, name, user, revision, updated_at, data)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (room, holder, category, extension, name) DO UPDATE SET
  user = excluded.user, revision = excluded.revision, updated_at = excluded.updated_at, data = excluded.data

-- name: find_preset
SELECT user, revision, updated_at, data FROM presets
WHERE room = ? AND holder = ? AND category = ? AND extension = ? AND name = ?

-- name: find_presets
SELECT holder, name, user, revision, updated_at FROM presets
WHERE room = :room AND holder IN ('', :user) AND category = :category AND extension = :extension
ORDER BY holder, name

-- name: revision_of_preset
SELECT revision FROM presets WHERE room = ? AND holder = ? AND category = ? AND extension = ? AND name = ?

-- name: delete_preset
DELETE FROM presets
WHERE room = ? AND holder = ? AND category = ? AND extension = ? AND name = ? AND revision = ?

-- name: clear_presets
DELETE FROM presets WHERE room = ?
