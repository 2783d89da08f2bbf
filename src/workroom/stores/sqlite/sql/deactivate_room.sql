UPDATE extensions SET active = 0 WHERE room = ?
