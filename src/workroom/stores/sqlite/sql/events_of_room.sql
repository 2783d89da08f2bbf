SELECT t.seq, j.id, j.room, j.user, t.version, t.status, t.attempt, t.worker, t.actor, t.reason, t.at
FROM transitions t INDEXED BY events_of_room JOIN jobs j ON j.seq = t.job
WHERE t.room = ? AND t.seq > ? ORDER BY t.seq LIMIT ?
