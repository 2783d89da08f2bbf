SELECT seq, room, user, text, job, at_us FROM chat WHERE room = ? AND seq > ? ORDER BY seq LIMIT ?
