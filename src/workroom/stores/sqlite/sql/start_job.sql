UPDATE states SET status = 'running', version = version + 1, nonce = ?, started_at = ?, tries = tries + 1
WHERE seq = ?
