INSERT INTO attempts (job, attempt, token, worker, extension, number, lane) VALUES (?, ?, ?, ?, ?, ?, ?)
