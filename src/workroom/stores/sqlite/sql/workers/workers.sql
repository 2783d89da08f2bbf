-- name: session_of_worker
SELECT session, online, slots, boot, user, draining FROM workers WHERE id = ?

-- name: upsert_worker
INSERT INTO workers (id, user, name, runner, slots, machine, registered_at, since)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET name = excluded.name, runner = excluded.runner, slots = excluded.slots,
  machine = excluded.machine, served = NULL

-- name: open_session
UPDATE workers SET session = ?, boot = ?, online = 1, since = ? WHERE id = ?

-- name: close_worker
UPDATE workers SET online = 0, draining = draining * ?, boot = NULL, since = ?, served = ? WHERE id = ?

-- name: save_lease
UPDATE workers SET lease = ? WHERE id = ?

-- name: lease_of_worker
SELECT lease FROM workers WHERE id = ?

-- name: set_draining
UPDATE workers SET draining = ? WHERE id = ?

-- name: find_workers
SELECT w.id, w.user, w.name, w.runner, w.slots, w.machine, w.online, w.draining, w.session, w.registered_at, w.since,
  (SELECT count(*) FROM attempts a WHERE a.worker = w.id AND a.started = 0),
  (SELECT count(*) FROM attempts a WHERE a.worker = w.id AND a.started = 1),
  w.served
FROM workers w
WHERE (:id IS NULL OR w.id = :id)
  AND (:id IS NOT NULL OR EXISTS (
    SELECT 1 FROM offers o JOIN extensions e ON e.id = o.extension
    WHERE o.worker = w.id AND (:room IS NULL OR e.room IN (:room, '')))
    OR EXISTS (SELECT 1 FROM requests r WHERE r.worker = w.id AND (:room IS NULL OR r.room = :room))
    OR (:offline AND NOT w.online AND EXISTS (
      SELECT 1 FROM json_each(w.served) s
      WHERE :room IS NULL OR json_extract(s.value, '$[0]') IN (:room, ''))))
ORDER BY w.registered_at

-- name: idle_workers
SELECT w.id FROM offers o JOIN workers w ON w.id = o.worker
WHERE o.extension = ? AND w.online AND NOT w.draining
  AND (SELECT count(*) FROM attempts a WHERE a.worker = w.id AND a.waits IS NULL) < w.slots

-- name: known_workers
SELECT id, session, lease FROM workers WHERE online OR EXISTS (SELECT 1 FROM offers WHERE worker = id)
  OR EXISTS (SELECT 1 FROM requests WHERE worker = id)

-- name: is_serving
-- does it offer anything, or ask to?
SELECT 1 WHERE EXISTS (SELECT 1 FROM offers WHERE worker = :worker) OR EXISTS (SELECT 1 FROM requests WHERE worker = :worker)

-- name: forget_offline_workers
DELETE FROM workers WHERE NOT online AND since < ?
  AND NOT EXISTS (SELECT 1 FROM offers WHERE worker = workers.id)
  AND NOT EXISTS (SELECT 1 FROM requests WHERE worker = workers.id)
  AND NOT EXISTS (SELECT 1 FROM attempts WHERE worker = workers.id)

-- name: forget_gone_workers
-- all but those that left last
DELETE FROM workers WHERE id IN (
  SELECT id FROM workers
  WHERE user = ? AND NOT online AND NOT EXISTS (SELECT 1 FROM offers WHERE worker = workers.id)
    AND NOT EXISTS (SELECT 1 FROM requests WHERE worker = workers.id)
    AND NOT EXISTS (SELECT 1 FROM attempts WHERE worker = workers.id)
  ORDER BY since DESC LIMIT -1 OFFSET ?)
