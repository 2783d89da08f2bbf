-- name: insert_version
INSERT INTO versions (room, number, kind, of, user, job, at, summary, state, request, edit_group)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'done', ?, ?)

-- name: insert_version_change
INSERT INTO version_changes (room, number, key, before, after) VALUES (?, ?, ?, ?, ?)

-- name: version_entries
SELECT number, kind, state FROM versions v
WHERE room = :room AND (:target IS NULL OR EXISTS (
  SELECT 1 FROM version_changes c WHERE c.room = v.room AND c.number = v.number
  AND (c.key = :target OR substr(c.key, 1, length(:target) + 1) = :target || '.')))
ORDER BY number

-- name: version_of_request
SELECT number FROM versions WHERE room = ? AND request = ? ORDER BY number LIMIT 1

-- name: newest_of_group
SELECT number, state, (SELECT count(*) FROM version_changes c WHERE c.room = v.room AND c.number = v.number)
FROM versions v WHERE room = ? AND edit_group = ? AND edit_group <> '' ORDER BY number DESC LIMIT 1

-- name: versions_of_group
SELECT number, state FROM versions WHERE room = ? AND edit_group = ? AND edit_group <> '' ORDER BY number DESC

-- name: newest_change_of_key
SELECT max(number) FROM version_changes WHERE room = ? AND key = ?

-- name: amend_version
UPDATE versions SET at = ?, summary = ?, request = ? WHERE room = ? AND number = ?

-- name: amend_version_change
UPDATE version_changes SET after = ? WHERE room = ? AND number = ? AND key = ?

-- name: find_versions
SELECT room, number, kind, of, user, job, at, summary, state FROM versions
WHERE room = :room AND (:before IS NULL OR number < :before) AND (:number IS NULL OR number = :number)
ORDER BY number DESC LIMIT :limit

-- name: changes_of_version
SELECT key, before, after FROM version_changes WHERE room = ? AND number = ? ORDER BY key

-- name: changes_after
SELECT key, before FROM version_changes WHERE room = ? AND number > ? ORDER BY number DESC

-- name: state_of_version
SELECT state FROM versions WHERE room = ? AND number = ?

-- name: set_version_state
UPDATE versions SET state = ? WHERE room = ? AND number = ?

-- name: drop_undone
UPDATE versions SET state = 'dropped' WHERE room = ? AND state = 'undone'

-- name: oldest_version
SELECT number, at,
  (SELECT count(*) FROM versions c WHERE c.room = v.room AND c.kind IN ('change', 'restore')),
  (SELECT count(*) FROM versions c WHERE c.room = v.room)
FROM versions v WHERE room = ? ORDER BY number LIMIT 1

-- name: delete_version
DELETE FROM versions WHERE room = ? AND number = ?

-- name: delete_version_changes
DELETE FROM version_changes WHERE room = ? AND number = ?

-- name: clear_locks
DELETE FROM locks WHERE room = ?

-- name: clear_places
DELETE FROM lock_places WHERE room = ?

-- name: clear_documents
DELETE FROM documents WHERE room = ?

-- name: clear_contents
DELETE FROM contents WHERE room = ?

-- name: clear_versions
DELETE FROM versions WHERE room = ?

-- name: clear_version_changes
DELETE FROM version_changes WHERE room = ?

-- name: clear_job_edits
DELETE FROM job_edits WHERE room = ?

-- name: clear_room_data
DELETE FROM room_data WHERE room = ?
