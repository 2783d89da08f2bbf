-- name: policy_of_extension
SELECT policy FROM extensions WHERE id = ?

-- name: count_waiting
SELECT count(*) FROM (SELECT 1 FROM states WHERE extension = ? AND status = 'pending' AND ready = 1 LIMIT 1000)

-- name: active_in_lane
SELECT count(*) FROM attempts WHERE extension = ? AND lane = ?

-- name: ready_in_lane
SELECT count(*) FROM states
WHERE extension = ? AND lane = ? AND status = 'pending' AND due_at IS NULL AND ready = 1

-- name: last_ready_in_lane
SELECT rank, tag, seq FROM states
WHERE extension = :extension AND lane = :lane AND status = 'pending' AND due_at IS NULL AND ready = 1
ORDER BY rank DESC, tag DESC, seq DESC LIMIT :limit

-- name: lane_members
SELECT rank, tag, seq FROM states
WHERE extension = :extension AND lane = :lane AND status = 'pending' AND due_at IS NULL AND ready = :ready
ORDER BY rank, tag, seq LIMIT :limit

-- name: set_ready
UPDATE states SET ready = ? WHERE seq = ?

-- name: job_in_lane
SELECT j.id FROM attempts a JOIN jobs j ON j.seq = a.job WHERE a.extension = ? AND a.lane = ? LIMIT 1

-- name: waiting_lanes
SELECT DISTINCT lane FROM states
WHERE extension = ? AND status = 'pending' AND lane IS NOT NULL AND due_at IS NULL

-- name: waiting_in_lane
SELECT count(*) FROM states
WHERE extension = ? AND lane = ? AND status = 'pending' AND due_at IS NULL AND ready IN (0, 1, 2)
