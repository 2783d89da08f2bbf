INSERT INTO chat (room, user, text, job, job_id, at) VALUES (?, ?, ?, ?, ?, ?) RETURNING seq
