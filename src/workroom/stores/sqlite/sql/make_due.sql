UPDATE states SET due_at = NULL, ready = ? WHERE seq = ?
