-- name: end_of_job
SELECT s.status FROM jobs j JOIN states s ON s.seq = j.seq WHERE j.id = ? AND j.room = ?

-- name: end_of_group
SELECT open, jobs, completed_jobs, failed_jobs, cancelled_jobs, retried FROM job_groups WHERE id = ? AND room = ?

-- name: insert_arrow
INSERT INTO arrows (before, after, on_end) VALUES (?, ?, ?) ON CONFLICT DO NOTHING

-- name: mark_followed_job
UPDATE states SET followed = 1 WHERE seq = (SELECT seq FROM jobs WHERE id = ?)

-- name: mark_followed_group
UPDATE job_groups SET followed = 1 WHERE id = ?

-- name: add_followup
INSERT INTO followups (before, status, followed_to) VALUES (?, ?, 0) ON CONFLICT DO NOTHING

-- name: next_followup
SELECT before, status, followed_to FROM followups ORDER BY seq LIMIT 1

-- name: go_on_following
UPDATE followups SET followed_to = ? WHERE before = ?

-- name: end_followup
DELETE FROM followups WHERE before = ?

-- name: followers
SELECT after, on_end FROM arrows WHERE before = ? AND after > ? ORDER BY after LIMIT ?

-- name: unblock
UPDATE postponed SET blockers = blockers - 1 WHERE job = ? RETURNING run_at, blockers, paused, refs

-- name: set_postponed_until
UPDATE postponed SET due_at = ? WHERE job = ?

-- name: skipped_job
SELECT j.id, j.room, j.user, j.created_at, j.grp, s.version, s.extension, s.lane, s.followed
FROM postponed p JOIN jobs j ON j.seq = p.job JOIN states s ON s.seq = p.job
WHERE p.job = ?

-- name: open_blocker
-- one job or group that must end first
SELECT a.before FROM arrows a
LEFT JOIN jobs j ON j.id = a.before LEFT JOIN states s ON s.seq = j.seq
LEFT JOIN job_groups g ON g.id = a.before
WHERE a.after = ? AND ((s.seq IS NOT NULL AND s.completed_at IS NULL) OR (g.id IS NOT NULL AND g.ended_at IS NULL))
LIMIT 1

-- name: neighbours_before
SELECT a.before FROM arrows a JOIN jobs j ON j.seq = a.after WHERE j.id = ? ORDER BY a.before LIMIT ?

-- name: neighbours_after
SELECT j.id FROM arrows a JOIN jobs j ON j.seq = a.after WHERE a.before = ? ORDER BY a.after LIMIT ?

-- name: forget_arrows
DELETE FROM arrows WHERE after = ?
