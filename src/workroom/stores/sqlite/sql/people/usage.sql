-- name: charge_jobs
INSERT INTO usage (user, room, jobs) VALUES (?, ?, ?)
ON CONFLICT (user, room) DO UPDATE SET jobs = jobs + excluded.jobs

-- name: forget_unused
DELETE FROM usage WHERE jobs = 0 AND files = 0 AND bytes = 0

-- name: count_bytes
SELECT coalesce(sum(bytes), 0) FROM usage

-- name: count_bytes_of_room
SELECT coalesce(sum(bytes), 0) FROM usage WHERE room = :subject

-- name: count_bytes_of_user
SELECT coalesce(sum(bytes), 0) FROM usage WHERE user = :subject

-- name: count_extensions
SELECT count(*) FROM extensions WHERE schema <> x''

-- name: count_extensions_of_room
SELECT count(*) FROM extensions WHERE room = :subject

-- name: count_extensions_of_user
SELECT count(*) FROM extensions WHERE owner = :subject AND schema <> x''

-- name: count_files
SELECT coalesce(sum(files), 0) FROM usage

-- name: count_files_of_room
SELECT coalesce(sum(files), 0) FROM usage WHERE room = :subject

-- name: count_files_of_user
SELECT coalesce(sum(files), 0) FROM usage WHERE user = :subject

-- name: count_forms_of_user
SELECT count(*) FROM forms WHERE user = :subject

-- name: count_guests
SELECT count(*) FROM accounts WHERE role = 'guest'

-- name: count_invites
SELECT count(*) FROM codes WHERE kind = 'invite' AND uses > 0 AND expires_at > :now

-- name: count_invites_of_room
SELECT count(*) FROM codes WHERE room = :subject AND kind = 'invite' AND uses > 0 AND expires_at > :now

-- name: count_invites_of_user
SELECT count(*) FROM codes WHERE user = :subject AND kind = 'invite' AND uses > 0 AND expires_at > :now

-- name: count_jobs
SELECT coalesce(sum(jobs), 0) FROM usage

-- name: count_jobs_of_room
SELECT coalesce(sum(jobs), 0) FROM usage WHERE room = :subject

-- name: count_jobs_of_user
SELECT coalesce(sum(jobs), 0) FROM usage WHERE user = :subject

-- name: count_members_of_room
SELECT count(*) FROM members WHERE room = :subject

-- name: count_pairings
SELECT count(*) FROM codes WHERE kind = 'pair' AND uses > 0 AND expires_at > :now

-- name: count_pairings_of_room
SELECT count(*) FROM codes WHERE room = :subject AND kind = 'pair' AND uses > 0 AND expires_at > :now

-- name: count_pairings_of_user
SELECT count(*) FROM codes WHERE user = :subject AND kind = 'pair' AND uses > 0 AND expires_at > :now

-- name: count_rooms
SELECT count(*) FROM rooms WHERE NOT deleted

-- name: count_rooms_of_user
SELECT count(*) FROM rooms WHERE owner = :subject AND NOT deleted

-- name: count_slots
SELECT coalesce(sum(slots), 0) FROM workers WHERE (online OR EXISTS (SELECT 1 FROM offers WHERE worker = workers.id)
  OR EXISTS (SELECT 1 FROM requests WHERE worker = workers.id))

-- name: count_slots_of_room
SELECT coalesce(sum(slots), 0) FROM workers WHERE id IN (
  SELECT o.worker FROM extensions e JOIN offers o ON o.extension = e.id WHERE e.room = :subject)

-- name: count_slots_of_user
SELECT coalesce(sum(slots), 0) FROM workers WHERE user = :subject AND (online OR EXISTS (SELECT 1 FROM offers WHERE worker = workers.id)
  OR EXISTS (SELECT 1 FROM requests WHERE worker = workers.id))

-- name: count_workers
SELECT count(*) FROM workers WHERE (online OR EXISTS (SELECT 1 FROM offers WHERE worker = workers.id)
  OR EXISTS (SELECT 1 FROM requests WHERE worker = workers.id))

-- name: count_workers_of_room
SELECT count(*) FROM workers WHERE id IN (
  SELECT o.worker FROM extensions e JOIN offers o ON o.extension = e.id WHERE e.room = :subject)

-- name: count_workers_of_user
SELECT count(*) FROM workers WHERE user = :subject AND (online OR EXISTS (SELECT 1 FROM offers WHERE worker = workers.id)
  OR EXISTS (SELECT 1 FROM requests WHERE worker = workers.id))
