SELECT data FROM forms WHERE user = ? AND room = ? AND category = ? AND name = ?
