-- name: next_start
SELECT next_at FROM rates WHERE extension = ? AND key = ?

-- name: save_next_start
INSERT INTO rates (extension, key, next_at) VALUES (?, ?, ?)
ON CONFLICT (extension, key) DO UPDATE SET next_at = excluded.next_at

-- name: due_rates
SELECT r.extension, r.key, r.next_at, e.policy FROM rates r JOIN extensions e ON e.id = r.extension
WHERE r.next_at <= ? ORDER BY r.next_at LIMIT ?

-- name: next_rate
SELECT min(next_at) FROM rates WHERE next_at > ?

-- name: forget_rate
DELETE FROM rates WHERE extension = ? AND key = ?

-- name: all_rates
SELECT r.extension, r.key, r.next_at, e.policy FROM rates r JOIN extensions e ON e.id = r.extension

-- name: shift_rates
UPDATE rates SET next_at = next_at + ?

-- name: placed_in_lane
SELECT count(*) FROM states
WHERE extension = ? AND lane = ? AND status = 'pending' AND due_at IS NULL AND ready IN (1, 2)

-- name: last_placed_in_lane
SELECT rank, tag, seq FROM states
WHERE extension = :extension AND lane = :lane AND status = 'pending' AND due_at IS NULL AND ready IN (1, 2)
ORDER BY rank DESC, tag DESC, seq DESC LIMIT :limit

-- name: shown_in_lane
SELECT count(*) FROM states
WHERE extension = :extension AND lane = :lane AND status = 'pending' AND due_at IS NULL AND ready = 1

-- name: shown_of_extension
SELECT count(*) FROM states
WHERE extension = :extension AND status = 'pending' AND ready = 1 AND lane IS NOT NULL

-- name: paced_of_extension
SELECT rank, tag, seq FROM states
WHERE extension = :extension AND status = 'pending' AND ready = 2
ORDER BY rank, tag, seq LIMIT :limit

-- name: last_shown_of_extension
SELECT rank, tag, seq FROM states
WHERE extension = :extension AND status = 'pending' AND ready = 1 AND lane IS NOT NULL
ORDER BY rank DESC, tag DESC, seq DESC LIMIT :limit

-- name: park_extension
UPDATE states SET ready = 0
WHERE extension = ? AND status = 'pending' AND lane IS NOT NULL AND due_at IS NULL AND ready IN (1, 2)

-- name: assigned_at
SELECT assigned_at FROM states WHERE seq = ?
