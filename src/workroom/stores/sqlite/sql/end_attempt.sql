DELETE FROM attempts WHERE job = ? AND attempt = ?
