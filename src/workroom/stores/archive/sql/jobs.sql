-- name: find_jobs
SELECT j.seq, j.id, j.room, j.scope, j.category, j.name, j.data, j.schema_hash, j.status, j.version, j.priority,
  j.user, j.runner, j.worker, j.attempt, j.created_us, j.assigned_us, j.started_us, j.completed_us, j.progress,
  j.result, j.error, j.owner, j.tries, j.retry_of, j.parent, j.secrets, j.extension, x.document,
  a.document, j.grp
FROM jobs j
LEFT JOIN annotations a ON a.job = j.id
LEFT JOIN exchanges x ON x.job = j.id

-- name: annotated_job
SELECT j.room, j.seq, coalesce(a.version, 0) FROM jobs j LEFT JOIN annotations a ON a.job = j.id WHERE j.id = ?

-- name: ending_of_job
SELECT status, reports FROM jobs WHERE id = ?

-- name: history_of_job
SELECT t.seq, t.job, t.room, t.user, t.version, t.status, t.attempt, t.worker, t.actor, t.reason, t.at_us,
  j.created_us, CASE t.status WHEN 'running' THEN t.at_us WHEN 'pending' THEN NULL WHEN 'assigned' THEN NULL ELSE j.started_us END
FROM transitions t LEFT JOIN jobs j ON j.id = t.job
WHERE t.job = ? AND t.seq > ? ORDER BY t.version LIMIT ?

-- name: events_of_room
SELECT t.seq, t.job, t.room, t.user, t.version, t.status, t.attempt, t.worker, t.actor, t.reason, t.at_us,
  j.created_us, CASE t.status WHEN 'running' THEN t.at_us WHEN 'pending' THEN NULL WHEN 'assigned' THEN NULL ELSE j.started_us END
FROM transitions t LEFT JOIN jobs j ON j.id = t.job
WHERE t.room = ? AND t.seq > ? ORDER BY t.seq LIMIT ?

-- name: lines_of_job
SELECT seq, at, stream, text, level, attempt FROM lines WHERE job = ? AND seq > ? ORDER BY seq LIMIT ?

-- name: artifacts_of_job
SELECT job, name, media_type, blob, size, sha256, attempt, created_us FROM artifacts WHERE job = ? ORDER BY name

-- name: preview_of_job
SELECT job, kind, version, blob, size, sha256 FROM previews WHERE job = ?

-- name: chat_before
SELECT seq, room, user, text, job, at_us FROM chat WHERE room = ? AND seq < ? ORDER BY seq DESC LIMIT ?

-- name: chat_after
SELECT seq, room, user, text, job, at_us FROM chat WHERE room = ? AND seq > ? ORDER BY seq LIMIT ?
