SELECT rank, tag, seq FROM states
WHERE extension = ? AND lane = ? AND status = 'pending' AND due_at IS NULL AND ready = 1
ORDER BY rank DESC, tag DESC, seq DESC LIMIT ?
