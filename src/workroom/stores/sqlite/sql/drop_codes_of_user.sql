DELETE FROM codes WHERE user = ?
