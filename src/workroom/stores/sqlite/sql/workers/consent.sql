-- name: insert_consent
INSERT INTO consents (extension, user) VALUES (?, ?) ON CONFLICT DO NOTHING

-- name: has_consent
SELECT 1 FROM consents WHERE extension = ? AND user = ?

-- name: clear_consents
DELETE FROM consents WHERE extension = ?

-- name: withdraw_consents
DELETE FROM consents WHERE user = ? AND extension IN (SELECT id FROM extensions WHERE room = ?)

-- name: insert_request
INSERT INTO requests (worker, room, category, name, schema, schema_hash, runner, owner, policy, banned)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING

-- name: delete_request
DELETE FROM requests WHERE worker = ? AND room = ? AND category = ? AND name = ?

-- name: clear_requests
DELETE FROM requests WHERE worker = ?

-- name: requests_of_worker
-- with who has the extension, in the room and in public
SELECT r.room, r.category, r.name, r.schema, r.schema_hash, r.runner, r.owner, r.policy, r.banned, here.owner, public.owner
FROM requests r
LEFT JOIN extensions here
  ON here.room = r.room AND here.category = r.category AND here.name = r.name AND here.active = 1
LEFT JOIN extensions public
  ON public.room = '' AND public.category = r.category AND public.name = r.name AND public.active = 1
WHERE r.worker = ? ORDER BY r.category, r.name, r.room

-- name: insert_ban
INSERT OR REPLACE INTO bans (room, user, at) VALUES (?, ?, ?)

-- name: delete_ban
DELETE FROM bans WHERE room = ? AND user = ?

-- name: forget_bans
DELETE FROM bans
WHERE at < :before OR (room, user) IN (SELECT room, user FROM bans ORDER BY at DESC LIMIT -1 OFFSET :most)

-- name: is_banned
SELECT 1 FROM bans WHERE room = ? AND user = ? AND at >= ?

-- name: insert_dismissal
INSERT OR REPLACE INTO dismissals (worker, actor, reason, at) VALUES (?, ?, ?, ?)

-- name: dismissal_of_worker
SELECT actor, reason FROM dismissals WHERE worker = ? AND at >= ?

-- name: forget_dismissals
DELETE FROM dismissals
WHERE at < :before OR worker IN (SELECT worker FROM dismissals ORDER BY at DESC LIMIT -1 OFFSET :most)
