SELECT attempt, base, last, lines, bytes, full FROM log_heads WHERE job = ?
