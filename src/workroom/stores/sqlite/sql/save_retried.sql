INSERT INTO retried (job, attempt, token, worker, error) VALUES (?, ?, ?, ?, ?)
