SELECT t.seq, j.id, j.room, j.user, t.version, t.status, t.attempt, t.worker, t.actor, t.reason, t.at
FROM jobs j JOIN transitions t ON t.job = j.seq
WHERE j.id = ? ORDER BY t.version
