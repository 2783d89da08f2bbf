-- name: insert_group
INSERT INTO job_groups (id, room, user, title, parameters, created_at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO NOTHING

-- name: group_for_submit
SELECT open, paused, cancelled FROM job_groups WHERE id = ? AND room = ?

-- name: add_to_group
UPDATE job_groups SET jobs = jobs + :jobs, retried = retried + :retried, version = version + 1, ended_at = NULL
WHERE id = :id
RETURNING room, version

-- name: count_ends_in_group
UPDATE job_groups
SET completed_jobs = completed_jobs + :completed, failed_jobs = failed_jobs + :failed,
    cancelled_jobs = cancelled_jobs + :cancelled, version = version + 1
WHERE id = :id
RETURNING room, version, open, jobs, completed_jobs, failed_jobs, cancelled_jobs, retried, followed

-- name: insert_group_end
INSERT INTO group_ends (grp, number, job) VALUES (?, ?, ?)

-- name: end_group
UPDATE job_groups SET ended_at = ? WHERE id = ?

-- name: change_group
UPDATE job_groups
SET open = open AND :open, paused = :paused, cancelled = cancelled OR :cancelled, change = :change,
    changed_to = CASE WHEN :restarts THEN 0 ELSE changed_to END,
    actor = coalesce(:actor, actor), reason = coalesce(:reason, reason), version = version + 1
WHERE id = :id
RETURNING room, version, open, jobs, completed_jobs, failed_jobs, cancelled_jobs, retried, followed

-- name: changing_group
SELECT id, change, changed_to, actor, reason FROM job_groups WHERE change IS NOT NULL ORDER BY seq LIMIT 1

-- name: members_of_group
-- some jobs of a group, in order; most of them may have ended
SELECT j.seq, j.id, s.status, s.ready, s.extension, s.lane, s.due_at
FROM (SELECT seq, id FROM jobs WHERE grp = ? AND seq > ? ORDER BY seq LIMIT ?) j JOIN states s ON s.seq = j.seq

-- name: go_on_changing
UPDATE job_groups SET changed_to = ? WHERE id = ?

-- name: end_change
UPDATE job_groups SET change = NULL, version = version + 1 WHERE id = ? RETURNING room, version

-- name: pause_queued
UPDATE states SET ready = 3, due_at = NULL, aged_at = ? WHERE seq = ?

-- name: pause_postponed
UPDATE postponed SET paused = 1, due_at = NULL WHERE job = ?

-- name: resume_postponed
UPDATE postponed SET paused = 0 WHERE job = ? AND paused = 1 RETURNING run_at, blockers, refs

-- name: is_group_paused
SELECT paused FROM job_groups WHERE id = ?

-- name: find_groups
SELECT seq, id, room, user, title, parameters, created_at, open, paused, cancelled, change, version, ended_at,
       jobs, retried, completed_jobs, failed_jobs, cancelled_jobs
FROM job_groups

-- name: active_in_group
SELECT s.status, count(*) FROM attempts a JOIN jobs j ON j.seq = a.job JOIN states s ON s.seq = a.job
WHERE j.grp = ? AND s.status IN ('assigned', 'running') AND s.token = a.token
GROUP BY s.status

-- name: ends_of_group
SELECT j.id FROM group_ends e JOIN jobs j ON j.seq = e.job
WHERE e.grp = ? AND e.number > ? ORDER BY e.number LIMIT ?

-- name: groups_of_jobs
SELECT DISTINCT grp FROM jobs WHERE seq IN (SELECT value FROM json_each(?)) AND grp IS NOT NULL

-- name: forget_group
DELETE FROM job_groups WHERE id = :id AND NOT EXISTS (SELECT 1 FROM jobs WHERE grp = :id)

-- name: forget_group_ends
DELETE FROM group_ends WHERE grp = :id AND NOT EXISTS (SELECT 1 FROM job_groups WHERE id = :id)
