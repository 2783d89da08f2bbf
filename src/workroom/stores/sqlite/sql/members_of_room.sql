SELECT user FROM members WHERE room = ?
