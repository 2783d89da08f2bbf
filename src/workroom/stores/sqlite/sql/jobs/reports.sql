-- name: save_progress
INSERT INTO progress (seq, document) VALUES (?, ?) ON CONFLICT (seq) DO UPDATE SET document = excluded.document

-- name: forget_progress
DELETE FROM progress WHERE seq = ?

-- name: insert_log_line
INSERT INTO logs (job, seq, attempt, at, stream, level, text) VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: job_logs
SELECT l.seq, l.at, l.stream, l.text, l.level, l.attempt
FROM jobs j JOIN logs l ON l.job = j.seq
WHERE j.id = ? AND l.seq > ?
ORDER BY l.seq LIMIT ?

-- name: read_log_head
SELECT attempt, base, last, lines, bytes, full FROM log_heads WHERE job = ?

-- name: save_log_head
INSERT OR REPLACE INTO log_heads (job, attempt, base, last, lines, bytes, full) VALUES (?, ?, ?, ?, ?, ?, ?)
