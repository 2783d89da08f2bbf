INSERT INTO logs (job, seq, attempt, at, stream, level, text) VALUES (?, ?, ?, ?, ?, ?, ?)
