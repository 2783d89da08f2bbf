DELETE FROM logs WHERE job = ?
