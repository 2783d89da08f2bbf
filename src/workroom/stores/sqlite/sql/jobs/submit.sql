-- name: extension_for_submit
SELECT active, schema_hash, room, category, name FROM extensions WHERE id = ?

-- name: find_idempotent
SELECT body_hash, job_id FROM idempotency WHERE user = ? AND route = ? AND key = ? AND at > ?

-- name: forget_idempotent
DELETE FROM idempotency WHERE at < ?

-- name: save_idempotent
INSERT INTO idempotency (user, route, key, body_hash, job_id, at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (user, route, key) DO UPDATE
SET body_hash = excluded.body_hash, job_id = excluded.job_id, at = excluded.at

-- name: replay_of
SELECT id FROM jobs WHERE retry_of = ? LIMIT 1

-- name: known_jobs
SELECT j.id FROM json_each(?) f CROSS JOIN jobs j ON j.id = f.value

-- name: last_job
SELECT coalesce(max(seq), 0) FROM jobs

-- name: insert_job
INSERT INTO jobs (seq, id, room, extension, user, data, schema_hash, priority, retry_of, parent, secrets, created_at,
                  grp, unique_key, trace)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: last_duplicate
SELECT j.id, s.status, j.created_at FROM jobs j JOIN states s ON s.seq = j.seq
WHERE j.extension = ? AND j.room = ? AND j.unique_key = ? ORDER BY j.seq DESC LIMIT 1

-- name: insert_state
INSERT INTO states (seq, extension, status, version, rank, tag, lane, ready, aged_at)
VALUES (?, ?, 'pending', 1, ?, ?, ?, ?, ?)
