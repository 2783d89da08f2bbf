INSERT INTO transitions (seq, job, version, status, attempt, worker, actor, reason, at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
