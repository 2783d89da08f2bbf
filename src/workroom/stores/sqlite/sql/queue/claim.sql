-- name: heads_for_worker
-- the best job that may be handed out of each extension that the worker offers, and whether it is a trial
SELECT s.seq, s.extension, s.rank, s.tag, e.opened_at IS NOT NULL
FROM offers o
JOIN extensions e ON e.id = o.extension
JOIN states s ON s.seq = (
  SELECT seq FROM states
  WHERE extension = o.extension AND status = 'pending' AND ready = 1
  ORDER BY rank, tag, seq LIMIT 1)
WHERE o.worker = :worker AND e.paused = 0
  AND (e.opened_at IS NULL OR (e.trial IS NULL AND e.opened_at <= :opened_before))

-- name: child_for_worker
-- the newest child of a job that may be handed out, and whether it is a trial
SELECT s.seq, s.extension, s.rank, s.tag, e.opened_at IS NOT NULL
FROM jobs j
CROSS JOIN states s ON s.seq = j.seq
CROSS JOIN extensions e ON e.id = s.extension
WHERE j.parent = :parent AND s.status = 'pending' AND s.ready = 1
  AND EXISTS (SELECT 1 FROM offers WHERE worker = :worker AND extension = s.extension)
  AND e.paused = 0 AND (e.opened_at IS NULL OR (e.trial IS NULL AND e.opened_at <= :opened_before))
ORDER BY j.seq DESC LIMIT 1

-- name: trial_of_extension
-- the best job that has not failed before: among those ready, else behind one that has in its lane
SELECT seq, extension, rank, tag FROM (
  SELECT seq, extension, rank, tag, ready FROM states
  WHERE extension = :extension AND status = 'pending' AND ready = 1 AND failed = 0
  UNION ALL
  SELECT seq, extension, rank, tag, ready FROM states
  WHERE extension = :extension AND status = 'pending' AND lane IS NOT NULL AND due_at IS NULL AND ready IN (0, 2) AND failed = 0
    AND lane IN (SELECT lane FROM states
                 WHERE extension = :extension AND status = 'pending' AND lane IS NOT NULL AND due_at IS NULL
                   AND ready = 1))
ORDER BY ready = 1 DESC, rank, tag, seq LIMIT 1

-- name: best_of_extension
SELECT seq, extension, rank, tag FROM states
WHERE extension = ? AND status = 'pending' AND ready = 1
ORDER BY rank, tag, seq LIMIT ?

-- name: best_without_lane
SELECT seq, extension, rank, tag FROM states
WHERE extension = ? AND status = 'pending' AND ready = 1 AND lane IS NULL
ORDER BY rank, tag, seq LIMIT ?

-- name: job_for_assignment
SELECT j.id, j.room, j.user, CASE WHEN length(j.data) <= ? THEN j.data END, j.secrets, j.trace,
       j.created_at, s.attempt, s.version, s.lane, e.room, e.category, e.name, e.policy
FROM jobs j JOIN states s ON s.seq = j.seq JOIN extensions e ON e.id = j.extension
WHERE j.seq = ?

-- name: jobs_for_assignment
SELECT j.id, j.room, j.user, CASE WHEN length(j.data) <= ? THEN j.data END, j.secrets, j.trace,
       j.created_at, s.attempt, s.version, s.lane, e.room, e.category, e.name, e.policy
FROM json_each(?) f
CROSS JOIN jobs j ON j.seq = f.value
CROSS JOIN states s ON s.seq = j.seq
CROSS JOIN extensions e ON e.id = j.extension
ORDER BY f.key

-- name: assign_job
UPDATE states
SET status = 'assigned', version = version + 1, ready = 0, attempt = ?, token = ?, nonce = NULL, worker = ?,
    assigned_at = ?
WHERE seq = ?

-- name: insert_attempt
INSERT INTO attempts (job, attempt, token, worker, extension, number, lane) VALUES (?, ?, ?, ?, ?, ?, ?)
