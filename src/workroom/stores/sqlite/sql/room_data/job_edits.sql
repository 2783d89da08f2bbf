-- name: note_job_edits
INSERT INTO job_edits (room, job, attempt, versions) VALUES (?, ?, ?, ?)
ON CONFLICT (room, job, attempt) DO UPDATE SET versions = versions + excluded.versions

-- name: find_job_edits
SELECT e.versions, s.status, s.attempt FROM job_edits e
LEFT JOIN jobs j ON j.id = e.job LEFT JOIN states s ON s.seq = j.seq
WHERE e.room = ? AND e.job = ? AND e.attempt = ?

-- name: over_job_edits
SELECT e.room, e.job, e.attempt FROM job_edits e
LEFT JOIN jobs j ON j.id = e.job LEFT JOIN states s ON s.seq = j.seq
WHERE s.seq IS NULL OR s.status <> 'running' OR s.attempt <> e.attempt
ORDER BY e.room, e.job, e.attempt LIMIT ?

-- name: delete_job_edits
DELETE FROM job_edits WHERE room = ? AND job = ? AND attempt = ?

-- name: locks_of_attempt
SELECT target FROM locks WHERE room = ? AND job = ? AND attempt = ? ORDER BY target

-- name: parent_of_job_id
SELECT parent FROM jobs WHERE id = ?
