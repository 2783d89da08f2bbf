UPDATE attempts SET started = 1, timeout = ? WHERE worker = ? AND job = ? AND attempt = ?
