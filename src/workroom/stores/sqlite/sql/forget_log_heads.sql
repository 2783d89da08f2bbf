DELETE FROM log_heads WHERE job = ?
