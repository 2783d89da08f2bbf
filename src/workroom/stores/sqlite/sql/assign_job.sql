UPDATE states
SET status = 'assigned', version = version + 1, ready = 0, attempt = ?, token = ?, nonce = NULL, worker = ?,
    assigned_at = ?
WHERE seq = ?
