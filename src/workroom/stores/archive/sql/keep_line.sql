INSERT OR REPLACE INTO lines (job, seq, at, stream, text, level, attempt) VALUES (?, ?, ?, ?, ?, ?, ?)
