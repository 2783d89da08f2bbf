SELECT seq, job, room, user, version, status, attempt, worker, actor, reason, at_us
FROM transitions WHERE room = ? AND seq > ? ORDER BY seq LIMIT ?
