SELECT t.seq, j.id, j.room, j.user, t.version, t.status, t.attempt, t.worker, t.actor, t.reason, t.at
FROM jobs j JOIN transitions t INDEXED BY history ON t.job = j.seq
WHERE j.id = ? AND t.seq > ? ORDER BY t.version LIMIT ?
