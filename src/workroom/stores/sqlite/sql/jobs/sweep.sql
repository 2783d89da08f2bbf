-- name: due_jobs
SELECT seq, extension, lane FROM states WHERE due_at <= ? ORDER BY due_at LIMIT 1000

-- name: next_due
SELECT min(due_at) FROM states WHERE due_at IS NOT NULL

-- name: make_due
UPDATE states SET due_at = NULL, ready = ? WHERE seq = ?

-- name: aged_jobs
-- pending jobs that have waited longest, ready or not
SELECT s.seq, s.extension, s.lane, s.rank, j.user
FROM states s JOIN jobs j ON j.seq = s.seq
WHERE s.status = 'pending' AND s.rank > 0 AND s.aged_at <= ?
ORDER BY s.aged_at, s.seq LIMIT ?

-- name: raise_job
UPDATE states SET rank = :rank, tag = :tag, aged_at = :now WHERE seq = :seq

-- name: limited_attempts
SELECT a.timeout, a.worker, a.job, j.id, a.attempt, a.token, a.number, a.started, s.token, s.status, j.room, j.user, s.version,
       a.extension, s.losses, s.tries, a.lane, j.created_at, s.started_at, s.failed, j.grp, s.followed
FROM attempts a JOIN jobs j ON j.seq = a.job JOIN states s ON s.seq = a.job
WHERE a.timeout IS NOT NULL AND s.status = 'running' AND s.token = a.token

-- name: startable_attempts
-- assigned, not started, and its worker has a free slot
SELECT a.worker, a.job, j.id, a.attempt, a.token, a.number, a.started, s.token, s.status, j.room, j.user,
       s.version, a.extension, s.losses, s.tries, a.lane, j.created_at, s.started_at, s.failed, j.grp, s.followed
FROM attempts a JOIN jobs j ON j.seq = a.job JOIN states s ON s.seq = a.job JOIN workers w ON w.id = a.worker
WHERE a.started = 0 AND s.status = 'assigned' AND s.token = a.token
  AND (SELECT count(*) FROM attempts b WHERE b.worker = a.worker AND b.started = 1 AND b.waits IS NULL) < w.slots

-- name: extensions_to_try
-- whose break is over and for which something waits
SELECT id FROM extensions e
WHERE opened_at <= ? AND trial IS NULL AND active = 1
  AND EXISTS (SELECT 1 FROM states WHERE extension = e.id AND status = 'pending' AND ready = 1)

-- name: waiting_tries
-- jobs in backoff, and which try they wait for
SELECT seq, due_at, tries FROM states WHERE due_at IS NOT NULL

-- name: set_due
UPDATE states SET due_at = ? WHERE seq = ?

-- name: cap_breaks
UPDATE extensions SET opened_at = :now WHERE opened_at > :now

-- name: shift_breakers
UPDATE extensions SET opened_at = opened_at + ? WHERE opened_at IS NOT NULL

-- name: shift_departures
UPDATE extensions SET left_at = left_at + :jump, leaves_at = leaves_at + :jump WHERE leaves_at IS NOT NULL

-- name: shift_due
UPDATE states SET due_at = due_at + ? WHERE due_at IS NOT NULL
