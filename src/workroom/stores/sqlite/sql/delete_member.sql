DELETE FROM members WHERE room = ? AND user = ?
