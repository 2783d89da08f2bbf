INSERT OR REPLACE INTO transitions (seq, job, room, user, version, status, attempt, worker, actor, reason, at_us)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
