DELETE FROM lines WHERE job = ?
