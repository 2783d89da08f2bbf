UPDATE extensions SET paused = ? WHERE id = ?
