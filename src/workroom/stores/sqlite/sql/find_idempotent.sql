SELECT body_hash, job_id FROM idempotency WHERE user = ? AND route = ? AND key = ? AND at > ?
