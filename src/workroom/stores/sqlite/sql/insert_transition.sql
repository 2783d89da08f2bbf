INSERT INTO transitions (seq, job, room, version, status, attempt, worker, actor, reason, at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
