-- name: insert_chat
INSERT INTO chat (room, user, text, job, job_id, at, by_job) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING seq

-- name: find_chat
SELECT seq, room, user, text, job_id, at, by_job FROM chat WHERE room = ? AND seq < ? ORDER BY seq DESC LIMIT ?

-- name: new_chat
SELECT seq, room, user, text, job_id, at, by_job FROM chat WHERE room = ? AND seq > ? ORDER BY seq LIMIT ?
