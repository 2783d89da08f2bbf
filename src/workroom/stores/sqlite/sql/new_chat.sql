SELECT seq, room, user, text, job_id, at FROM chat WHERE room = ? AND seq > ? ORDER BY seq LIMIT ?
