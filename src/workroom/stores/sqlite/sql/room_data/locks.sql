-- name: begin_room_data
INSERT INTO room_data (room) VALUES (?) ON CONFLICT (room) DO NOTHING

-- name: next_lock_fence
UPDATE room_data SET fence = fence + 1 WHERE room = ? RETURNING fence

-- name: next_change
UPDATE room_data SET change = change + 1 WHERE room = ? RETURNING change

-- name: find_lock
SELECT room, target, digest, user, job, attempt, message, fence, acquired_at, expires_at, ttl FROM locks
WHERE room = ? AND target = ?

-- name: locks_of_room
SELECT room, target, digest, user, job, attempt, message, fence, acquired_at, expires_at, ttl FROM locks
WHERE room = ? ORDER BY target

-- name: save_lock
INSERT INTO locks (room, target, digest, user, job, attempt, message, fence, acquired_at, expires_at, ttl)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (room, target) DO UPDATE SET
  digest = excluded.digest, user = excluded.user, job = excluded.job, attempt = excluded.attempt,
  message = excluded.message, fence = excluded.fence, acquired_at = excluded.acquired_at, expires_at = excluded.expires_at, ttl = excluded.ttl

-- name: delete_lock
DELETE FROM locks WHERE room = ? AND target = ?

-- name: expired_locks
SELECT room, target FROM locks WHERE expires_at <= ? ORDER BY expires_at LIMIT ?

-- name: forget_places
DELETE FROM lock_places WHERE room = :room AND (expires_at <= :at OR expires_at > :at + :life)

-- name: places_of_room
SELECT target, digest, user, expires_at FROM lock_places WHERE room = ? ORDER BY seq

-- name: take_place
INSERT INTO lock_places (room, target, digest, user, expires_at) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (room, target, digest) DO UPDATE SET expires_at = excluded.expires_at

-- name: leave_place
DELETE FROM lock_places WHERE room = ? AND target = ? AND digest = ?

-- name: parent_of_job
SELECT parent FROM jobs WHERE seq = ?
