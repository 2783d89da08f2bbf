-- name: job_by_id
SELECT seq, room, user, created_at, grp FROM jobs WHERE id = ?

-- name: state_of_job
SELECT status, version, attempt, worker, extension, lane, started_at, ready, followed FROM states WHERE seq = ?

-- name: find_jobs
SELECT j.seq, j.id, j.room, e.room, e.category, e.name, j.data, j.schema_hash, s.status, s.version, j.priority,
       j.user, e.runner, s.worker, s.attempt, j.created_at, s.assigned_at, s.started_at, s.completed_at,
       p.document, o.result, o.error, e.owner, s.tries, j.retry_of, j.parent, j.secrets, s.extension, s.lane, s.ready, s.due_at,
       e.paused, e.opened_at, s.rank, s.tag, x.document, a.document, j.grp
FROM jobs j
JOIN states s ON s.seq = j.seq
JOIN extensions e ON e.id = j.extension
LEFT JOIN outcomes o ON o.seq = j.seq
LEFT JOIN progress p ON p.seq = j.seq
LEFT JOIN annotations a ON a.job = j.seq
LEFT JOIN exchanges x ON x.job = j.seq

-- name: ready_ahead
-- counted up to a thousand: beyond that nobody wants the number, and a list must not scan the queue
SELECT count(*) FROM (
  SELECT 1 FROM states
  WHERE extension = :extension AND status = 'pending' AND ready = 1 AND (rank, tag, seq) < (:rank, :tag, :seq)
  LIMIT 1000)

-- name: ahead_in_lane
SELECT count(*) FROM (
  SELECT 1 FROM states
  WHERE extension = :extension AND lane = :lane AND status = 'pending' AND due_at IS NULL AND ready = :ready
    AND (rank, tag, seq) < (:rank, :tag, :seq)
  LIMIT 1000)

-- name: slots_of_extension
-- how many jobs its connected workers can run, and how many of those places are free
SELECT coalesce(sum(w.slots), 0),
       coalesce(sum(max(0, w.slots - (SELECT count(*) FROM attempts a WHERE a.worker = w.id AND a.waits IS NULL))), 0)
FROM offers o JOIN workers w ON w.id = o.worker
WHERE o.extension = ? AND w.online AND NOT w.draining
