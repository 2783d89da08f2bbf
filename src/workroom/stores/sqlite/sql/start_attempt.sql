UPDATE attempts SET started = 1 WHERE job = ? AND attempt = ?
