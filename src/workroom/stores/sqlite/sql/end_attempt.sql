DELETE FROM attempts WHERE worker = ? AND job = ? AND attempt = ?
