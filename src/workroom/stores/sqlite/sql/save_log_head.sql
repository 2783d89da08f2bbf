INSERT OR REPLACE INTO log_heads (job, attempt, base, last, lines, bytes, full) VALUES (?, ?, ?, ?, ?, ?, ?)
