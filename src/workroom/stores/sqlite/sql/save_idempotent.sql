INSERT INTO idempotency (user, route, key, body_hash, job_id, at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (user, route, key) DO UPDATE
SET body_hash = excluded.body_hash, job_id = excluded.job_id, at = excluded.at
