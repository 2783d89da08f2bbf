UPDATE attempts SET started = 1 WHERE worker = ? AND job = ? AND attempt = ?
