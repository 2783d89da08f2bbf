UPDATE states SET status = ?, version = version + 1, completed_at = ?, ready = 0, due_at = NULL WHERE seq = ?
