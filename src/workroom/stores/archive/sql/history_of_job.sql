SELECT seq, job, room, user, version, status, attempt, worker, actor, reason, at_us
FROM transitions WHERE job = ? AND seq > ? ORDER BY version LIMIT ?
