DELETE FROM members WHERE room = ?
