-- name: index_ends
-- made only where jobs are forgotten: it would cost every job a write
CREATE INDEX IF NOT EXISTS ends ON states (completed_at) WHERE completed_at IS NOT NULL

-- name: read_clock
SELECT clock_seen, clock_since FROM meta

-- name: save_clock
UPDATE meta SET clock_seen = ?, clock_since = ?

-- name: expired_jobs
-- but none that still takes up a worker, nor the last of either sequence: its number must not come again
SELECT seq FROM states
WHERE completed_at < ?
  AND seq NOT IN (SELECT job FROM attempts)
  AND seq <> (SELECT max(seq) FROM jobs)
  AND seq <> (SELECT job FROM transitions ORDER BY seq DESC LIMIT 1)
ORDER BY completed_at LIMIT ?

-- name: forget_extensions
-- that have left and that no job or consent refers to; but not the last: its number must not come again
DELETE FROM extensions
WHERE active = 0 AND id <> (SELECT max(id) FROM extensions)
  AND NOT EXISTS (SELECT 1 FROM extension_usage u
                  WHERE u.extension = extensions.id AND u.completed + u.failed + u.cancelled > 0)
  AND NOT EXISTS (SELECT 1 FROM consents WHERE extension = extensions.id)
  AND NOT EXISTS (SELECT 1 FROM offers WHERE extension = extensions.id)
  AND NOT EXISTS (SELECT 1 FROM attempts WHERE extension = extensions.id)
  AND NOT EXISTS (SELECT 1 FROM states WHERE extension = extensions.id AND status = 'pending' AND ready = 1)
  AND NOT EXISTS (SELECT 1 FROM states WHERE extension = extensions.id AND status = 'pending' AND lane IS NOT NULL
                  AND due_at IS NULL)
  AND NOT EXISTS (SELECT 1 FROM states WHERE due_at IS NOT NULL AND extension = extensions.id)
  AND NOT EXISTS (SELECT 1 FROM states WHERE extension = extensions.id AND status = 'pending' AND ready = 3)

-- name: forget_extension_usage
DELETE FROM extension_usage WHERE extension NOT IN (SELECT id FROM extensions)

-- name: orphan_artifacts
INSERT OR IGNORE INTO orphaned_blobs (blob) SELECT blob FROM artifacts WHERE job = ?

-- name: orphan_previews
INSERT OR IGNORE INTO orphaned_blobs (blob) SELECT blob FROM previews WHERE job = ?

-- name: forget_artifacts
DELETE FROM artifacts WHERE job = ?

-- name: forget_chat
DELETE FROM chat WHERE job = ?

-- name: forget_jobs
DELETE FROM jobs WHERE seq = ?

-- name: forget_log_heads
DELETE FROM log_heads WHERE job = ?

-- name: forget_logs
DELETE FROM logs WHERE job = ?

-- name: forget_outcomes
DELETE FROM outcomes WHERE seq = ?

-- name: forget_previews
DELETE FROM previews WHERE job = ?

-- name: forget_retried
DELETE FROM retried WHERE job = ?

-- name: forget_states
DELETE FROM states WHERE seq = ?

-- name: forget_transitions
DELETE FROM transitions WHERE job = ?
