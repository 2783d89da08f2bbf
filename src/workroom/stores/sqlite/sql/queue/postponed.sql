-- name: postpone_job
INSERT INTO postponed (job, run_at, blockers, paused, placed, refs) VALUES (?, ?, ?, ?, ?, ?)

-- name: due_postponed
SELECT job, refs FROM postponed WHERE due_at <= ? ORDER BY due_at, job LIMIT ?

-- name: next_postponed
SELECT min(due_at) FROM postponed WHERE due_at IS NOT NULL

-- name: postponed_job
SELECT s.extension, s.lane, s.rank, s.tag, j.user, p.placed
FROM postponed p JOIN states s ON s.seq = p.job JOIN jobs j ON j.seq = p.job
WHERE p.job = ?

-- name: enqueue_job
UPDATE states SET ready = ?, tag = ?, aged_at = ? WHERE seq = ?

-- name: end_postponement
DELETE FROM postponed WHERE job = ?

-- name: why_postponed
SELECT blockers, run_at, paused FROM postponed WHERE job = ?

-- name: id_of_postponed
SELECT id FROM jobs WHERE seq = ?

-- name: job_to_fill
SELECT p.job, p.run_at, p.blockers, p.paused FROM jobs j JOIN postponed p ON p.job = j.seq
WHERE j.id = ? AND p.refs

-- name: fill_values
UPDATE jobs SET data = ? WHERE seq = ?

-- name: fill_lane
UPDATE states SET lane = ? WHERE seq = ?

-- name: end_references
UPDATE postponed SET refs = 0 WHERE job = ?
