-- name: expired_jobs
SELECT id, extension, status, retry_of, grp FROM jobs WHERE completed_us < ? ORDER BY completed_us LIMIT ?

-- name: blobs_of_job
SELECT blob FROM artifacts WHERE job = :job UNION ALL SELECT blob FROM previews WHERE job = :job

-- name: forget_jobs
DELETE FROM jobs WHERE id = ?

-- name: forget_transitions
DELETE FROM transitions WHERE job = ?

-- name: forget_lines
DELETE FROM lines WHERE job = ?

-- name: forget_artifacts
DELETE FROM artifacts WHERE job = ?

-- name: forget_previews
DELETE FROM previews WHERE job = ?

-- name: forget_chat
DELETE FROM chat WHERE job = ?

-- name: forget_annotations
DELETE FROM annotations WHERE job = ?

-- name: forget_exchanges
DELETE FROM exchanges WHERE job = ?
