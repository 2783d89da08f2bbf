SELECT error FROM retried WHERE job = ? AND attempt = ? AND token = ? AND worker = ?
