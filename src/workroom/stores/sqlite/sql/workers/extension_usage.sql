-- name: count_ends
INSERT INTO extension_usage (extension, completed, failed, cancelled, last_job_at, last_failed, recent)
VALUES (:extension, :completed, :failed, :cancelled, :last_job_at, :last_failed, :recent)
ON CONFLICT (extension) DO UPDATE SET
  completed = extension_usage.completed + excluded.completed,
  failed = extension_usage.failed + excluded.failed,
  cancelled = extension_usage.cancelled + excluded.cancelled,
  last_job_at = max(extension_usage.last_job_at, excluded.last_job_at),
  last_failed = coalesce(excluded.last_failed, extension_usage.last_failed),
  recent = substr(CAST(excluded.recent || extension_usage.recent AS BLOB), 1, :recent_bytes)

-- name: discount_end
-- for a job that is deleted; what it added to the recent ends stays
UPDATE extension_usage SET
  completed = extension_usage.completed - CASE s.status WHEN 'completed' THEN 1 ELSE 0 END,
  failed = extension_usage.failed - CASE s.status WHEN 'failed' THEN 1 ELSE 0 END,
  cancelled = extension_usage.cancelled - CASE s.status WHEN 'cancelled' THEN 1 ELSE 0 END
FROM states s WHERE s.seq = ? AND extension_usage.extension = s.extension

-- name: ended_usage
SELECT u.extension, u.completed, u.failed, u.cancelled, u.last_job_at, u.recent, j.id, s.completed_at, o.error
FROM extension_usage u
LEFT JOIN jobs j ON j.seq = u.last_failed
LEFT JOIN states s ON s.seq = u.last_failed
LEFT JOIN outcomes o ON o.seq = u.last_failed

-- name: assigned_usage
SELECT s.extension, s.status, count(*) FROM attempts a
JOIN states s ON s.seq = a.job AND s.attempt = a.attempt
WHERE s.status IN ('assigned', 'running')
GROUP BY s.extension, s.status

-- name: last_unfinished
-- when the newest job was submitted, of those that have not ended
SELECT u.extension, j.created_at
FROM (
  SELECT extension, max(seq) AS seq FROM (
    SELECT extension, seq FROM states WHERE status = 'pending' AND ready = 1
    UNION ALL
    SELECT extension, seq FROM states WHERE status = 'pending' AND lane IS NOT NULL AND due_at IS NULL AND ready IN (0, 2)
    UNION ALL
    SELECT extension, seq FROM states WHERE due_at IS NOT NULL
    UNION ALL
    SELECT extension, seq FROM states WHERE status = 'pending' AND ready = 3
    UNION ALL
    SELECT extension, job FROM attempts
  ) AS unfinished GROUP BY extension
) AS u
JOIN jobs j ON j.seq = u.seq

-- name: queues
SELECT e.id, e.room, e.category, e.name, e.paused, e.opened_at IS NOT NULL, u.completed, u.failed, u.cancelled
FROM extensions e LEFT JOIN extension_usage u ON u.extension = e.id
WHERE e.active = 1
ORDER BY e.id

-- name: queue_ready
SELECT count(*), min(seq) FROM (
  SELECT seq FROM states WHERE extension = :extension AND status = 'pending' AND ready = 1
  ORDER BY rank, tag, seq LIMIT :most)

-- name: queue_limited
SELECT count(*), min(seq) FROM (
  SELECT seq FROM states
  WHERE extension = :extension AND status = 'pending' AND lane IS NOT NULL AND due_at IS NULL AND ready = 0
  LIMIT :most)

-- name: queue_paced
SELECT count(*), min(seq) FROM (
  SELECT seq FROM states WHERE extension = :extension AND status = 'pending' AND ready = 2
  ORDER BY rank, tag, seq LIMIT :most)

-- name: queue_postponed
SELECT count(*) FROM (SELECT 1 FROM states WHERE extension = :extension AND status = 'pending' AND ready = 3 LIMIT :most)

-- name: queues_in_backoff
SELECT extension, count(*) FROM (
  SELECT extension FROM states WHERE due_at IS NOT NULL AND ready <> 3 LIMIT :most)
GROUP BY extension

-- name: submitted_at
SELECT created_at FROM jobs WHERE seq = ?
