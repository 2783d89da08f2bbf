DELETE FROM artifacts WHERE job = ?
