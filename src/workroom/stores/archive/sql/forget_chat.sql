DELETE FROM chat WHERE job = ?
