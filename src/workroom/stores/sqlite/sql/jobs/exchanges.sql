-- name: read_exchanges
SELECT document FROM exchanges WHERE job = ?

-- name: save_exchanges
INSERT INTO exchanges (job, document) VALUES (?, ?)
ON CONFLICT (job) DO UPDATE SET document = excluded.document

-- name: forget_exchanges
DELETE FROM exchanges WHERE job = ?

-- name: was_assigned
SELECT EXISTS (SELECT 1 FROM transitions WHERE job = ? AND attempt = ? AND worker = ?)

-- name: open_question
INSERT OR IGNORE INTO open_questions (room, job) VALUES (?, ?)

-- name: close_questions
DELETE FROM open_questions WHERE room = ? AND job = ?

-- name: forget_open_questions
DELETE FROM open_questions WHERE job = ?

-- name: close_ended_questions
-- of jobs that ended without an answer: no end of a job checks for them
DELETE FROM open_questions
WHERE (room, job) IN (SELECT q.room, q.job FROM open_questions q JOIN states s ON s.seq = q.job
                      WHERE s.completed_at IS NOT NULL)

-- name: jobs_with_questions
SELECT j.id, q.job FROM open_questions q JOIN jobs j ON j.seq = q.job JOIN states s ON s.seq = q.job
WHERE q.room = ? AND q.job < ? AND s.completed_at IS NULL ORDER BY q.job DESC LIMIT ?

-- name: read_waits
SELECT waits FROM attempts WHERE worker = ? AND job = ? AND attempt = ?

-- name: save_waits
UPDATE attempts SET waits = ? WHERE worker = ? AND job = ? AND attempt = ?
