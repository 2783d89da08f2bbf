-- name: last_transition
SELECT coalesce(max(seq), 0) FROM transitions

-- name: insert_transition
INSERT INTO transitions (seq, job, room, version, status, attempt, worker, actor, reason, at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: job_history
SELECT t.seq, j.id, j.room, j.user, t.version, t.status, t.attempt, t.worker, t.actor, t.reason, t.at,
       j.created_at, CASE t.status WHEN 'running' THEN t.at WHEN 'pending' THEN NULL WHEN 'assigned' THEN NULL ELSE s.started_at END
FROM jobs j JOIN states s ON s.seq = j.seq JOIN transitions t ON t.job = j.seq
WHERE j.id = ? ORDER BY t.version

-- name: events_of_job
SELECT t.seq, j.id, j.room, j.user, t.version, t.status, t.attempt, t.worker, t.actor, t.reason, t.at,
       j.created_at, CASE t.status WHEN 'running' THEN t.at WHEN 'pending' THEN NULL WHEN 'assigned' THEN NULL ELSE s.started_at END
FROM jobs j JOIN states s ON s.seq = j.seq JOIN transitions t INDEXED BY history ON t.job = j.seq
WHERE j.id = ? AND t.seq > ? ORDER BY t.version LIMIT ?

-- name: events_of_room
SELECT t.seq, j.id, j.room, j.user, t.version, t.status, t.attempt, t.worker, t.actor, t.reason, t.at,
       j.created_at, CASE t.status WHEN 'running' THEN t.at WHEN 'pending' THEN NULL WHEN 'assigned' THEN NULL ELSE s.started_at END
FROM transitions t INDEXED BY events_of_room JOIN jobs j ON j.seq = t.job JOIN states s ON s.seq = t.job
WHERE t.room = ? AND t.seq > ? ORDER BY t.seq LIMIT ?

-- name: find_log_position
SELECT epoch, coalesce((SELECT max(seq) FROM transitions), 0),
       coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'chat'), 0)
FROM meta

-- name: read_epoch
SELECT epoch FROM meta

-- name: probe
UPDATE meta SET probe = zeroblob(?)
