-- name: attempt_by_fence
SELECT j.seq, j.room, j.user, s.status, s.version, s.attempt, s.token, s.nonce, s.extension, s.worker, s.tries,
       s.lane, a.token, j.created_at, s.started_at, s.failed, s.rank, s.tag, j.grp, s.followed, 0
FROM jobs j
JOIN states s ON s.seq = j.seq
LEFT JOIN attempts a ON a.worker = ? AND a.job = j.seq AND a.attempt = ?
WHERE j.id = ?

-- name: attempts_by_fences
SELECT j.seq, j.room, j.user, s.status, s.version, s.attempt, s.token, s.nonce, s.extension, s.worker, s.tries,
       s.lane, a.token, j.created_at, s.started_at, s.failed, s.rank, s.tag, j.grp, s.followed, f.key
FROM json_each(?) f
CROSS JOIN jobs j ON j.id = json_extract(f.value, '$[0]')
CROSS JOIN states s ON s.seq = j.seq
LEFT JOIN attempts a ON a.worker = ? AND a.job = j.seq AND a.attempt = json_extract(f.value, '$[1]')

-- name: attempts_of_worker
SELECT a.job, j.id, a.attempt, a.token, a.number, a.started, s.token, s.status, j.room, j.user, s.version,
       a.extension, s.losses, s.tries, a.lane, j.created_at, s.started_at, s.failed, j.grp, s.followed
FROM attempts a JOIN jobs j ON j.seq = a.job JOIN states s ON s.seq = a.job
WHERE a.worker = ? ORDER BY a.number

-- name: start_attempt
UPDATE attempts SET started = 1, timeout = ? WHERE worker = ? AND job = ? AND attempt = ?

-- name: start_job
UPDATE states SET status = 'running', version = version + 1, nonce = ?, started_at = ?, tries = tries + 1
WHERE seq = ?

-- name: end_attempt
DELETE FROM attempts WHERE worker = ? AND job = ? AND attempt = ?

-- name: assignment_again
SELECT j.room, j.user, CASE WHEN length(j.data) <= ? THEN j.data END, j.secrets, j.trace, e.id, e.room, e.category, e.name
FROM jobs j JOIN extensions e ON e.id = j.extension WHERE j.seq = ?

-- name: running_attempt
SELECT j.user, j.room FROM jobs j JOIN states s ON s.seq = j.seq
WHERE j.id = ? AND s.attempt = ? AND s.token = ? AND s.status = 'running'
