UPDATE states SET status = ?, version = version + 1, completed_at = ? WHERE seq = ?
