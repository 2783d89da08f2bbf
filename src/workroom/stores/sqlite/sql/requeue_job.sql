UPDATE states
SET status = 'pending', version = version + 1, worker = NULL, token = NULL, assigned_at = NULL,
    started_at = NULL, losses = losses + :losses, due_at = :due, ready = :ready
WHERE seq = :seq
