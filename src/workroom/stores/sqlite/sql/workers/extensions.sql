-- name: find_extension
-- the room's own first, then public
SELECT id, room, category, name, schema, schema_hash, runner, owner, policy, active FROM extensions
WHERE room IN (?, '') AND category = ? AND name = ? AND active = 1
ORDER BY room DESC LIMIT 1

-- name: find_actor
SELECT id, room, category, name, schema, schema_hash, runner, owner, policy, active FROM extensions
WHERE room = '' AND active = 1 AND json_extract(policy, '$.actor') = ?
ORDER BY id LIMIT 1

-- name: existing_extension
SELECT id, room, category, name, schema, schema_hash, runner, owner, policy, active FROM extensions
WHERE room = ? AND category = ? AND name = ?

-- name: visible_extensions
SELECT e.id, e.room, e.category, e.name, e.schema, e.schema_hash, e.runner, e.owner, e.policy, e.active,
  (SELECT count(*) FROM offers o JOIN workers w ON w.id = o.worker
   WHERE o.extension = e.id AND w.online
     AND (SELECT count(*) FROM attempts a WHERE a.worker = w.id AND a.waits IS NULL) < w.slots),
  (SELECT count(*) FROM offers o JOIN workers w ON w.id = o.worker
   WHERE o.extension = e.id AND w.online
     AND (SELECT count(*) FROM attempts a WHERE a.worker = w.id AND a.waits IS NULL) >= w.slots),
  (SELECT count(*) FROM states s WHERE s.extension = e.id AND s.status = 'pending' AND s.ready = 1)
  + (SELECT count(*) FROM states s WHERE s.extension = e.id AND s.status = 'pending' AND s.lane IS NOT NULL
     AND s.due_at IS NULL AND s.ready IN (0, 2))
  + (SELECT count(*) FROM states s WHERE s.due_at IS NOT NULL AND s.extension = e.id)
  + (SELECT count(*) FROM states s WHERE s.extension = e.id AND s.status = 'pending' AND s.ready = 3),
  e.paused, e.opened_at, e.left_at
FROM extensions e
WHERE e.active = 1 AND (:room IS NULL OR e.room IN (:room, ''))
ORDER BY e.category, e.name, e.room DESC

-- name: server_side_extensions
SELECT id, room, category, name FROM extensions WHERE runner = ? AND active = 1

-- name: owner_of_extension
SELECT owner FROM extensions WHERE room = ? AND category = ? AND name = ?

-- name: insert_extension
INSERT INTO extensions (room, category, name, schema, schema_hash, runner, owner, policy, active, created_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, ?)

-- name: replace_extension
-- one that had left comes back unpaused and trusted
UPDATE extensions
SET schema = ?, schema_hash = ?, runner = ?, owner = ?, policy = ?, active = 1,
    paused = paused * active,
    ends = CASE WHEN active THEN ends ELSE '' END,
    opened_at = CASE WHEN active THEN opened_at END,
    trial = CASE WHEN active THEN trial END,
    left_at = NULL, leaves_at = NULL
WHERE id = ?

-- name: deactivate_extension
UPDATE extensions SET active = 0, left_at = NULL, leaves_at = NULL WHERE id = ?

-- name: deactivate_room
UPDATE extensions SET active = 0, schema = x'', left_at = NULL, leaves_at = NULL WHERE room = ?

-- name: pause_extension
UPDATE extensions SET paused = ? WHERE id = ?

-- name: depart
-- the last worker of a remote extension left
UPDATE extensions SET left_at = :now, leaves_at = :leaves
WHERE id = :extension AND active = 1 AND runner = 'remote'
  AND NOT EXISTS (SELECT 1 FROM offers WHERE extension = :extension)
RETURNING room, category, name

-- name: return_extension
UPDATE extensions SET left_at = NULL, leaves_at = NULL WHERE id = ? AND left_at IS NOT NULL

-- name: departing_extension
SELECT leaves_at, room, category, name FROM extensions WHERE id = ? AND active = 1 AND leaves_at IS NOT NULL

-- name: departing_extensions
SELECT id FROM extensions WHERE leaves_at <= ?

-- name: is_offered
SELECT EXISTS (SELECT 1 FROM offers WHERE extension = ?)

-- name: unfinished_of_extension
SELECT EXISTS (SELECT 1 FROM states WHERE extension = :extension AND status = 'pending' AND ready = 1)
    OR EXISTS (SELECT 1 FROM attempts WHERE extension = :extension)
    OR EXISTS (SELECT 1 FROM states WHERE extension = :extension AND status = 'pending' AND lane IS NOT NULL
               AND due_at IS NULL)
    OR EXISTS (SELECT 1 FROM states WHERE due_at IS NOT NULL AND extension = :extension)
    OR EXISTS (SELECT 1 FROM states WHERE extension = :extension AND status = 'pending' AND ready = 3)

-- name: breaker_of_extension
SELECT ends, opened_at, trial FROM extensions WHERE id = ?

-- name: save_breaker
UPDATE extensions SET ends = ?, opened_at = ?, trial = ? WHERE id = ?
