SELECT count(*) FROM states
WHERE extension = ? AND lane = ? AND status = 'pending' AND due_at IS NULL AND ready = 1
