SELECT seq, extension, rank, tag FROM states
WHERE extension = ? AND status = 'pending'
ORDER BY rank, tag, seq LIMIT ?
