-- name: end_job
UPDATE states SET status = ?, version = version + 1, completed_at = ?, ready = 0, due_at = NULL WHERE seq = ?

-- name: requeue_job
UPDATE states
SET status = 'pending', version = version + 1, worker = NULL, token = NULL, assigned_at = NULL,
    started_at = NULL, losses = losses + :losses, tries = tries - :refunds,
    failed = failed OR :failed, due_at = :due, ready = :ready
WHERE seq = :seq

-- name: save_outcome
INSERT INTO outcomes (seq, result, error) VALUES (?, ?, ?)

-- name: read_outcome
SELECT result, error FROM outcomes WHERE seq = ?

-- name: save_retried
INSERT INTO retried (job, attempt, token, worker, error) VALUES (?, ?, ?, ?, ?)

-- name: read_retried
SELECT error FROM retried WHERE job = ? AND attempt = ? AND token = ? AND worker = ?
