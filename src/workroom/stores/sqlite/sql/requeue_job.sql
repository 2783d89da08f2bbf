UPDATE states
SET status = 'pending', version = version + 1, worker = NULL, token = NULL, assigned_at = NULL,
    started_at = NULL, losses = losses + ?
WHERE seq = ?
