SELECT rank, tag, seq FROM states
WHERE extension = :extension AND lane = :lane AND status = 'pending' AND due_at IS NULL AND ready = :ready
ORDER BY rank, tag, seq LIMIT :limit
