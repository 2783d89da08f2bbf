SELECT seq, extension, rank, tag FROM states
WHERE extension = ? AND status = 'pending' AND ready = 1
ORDER BY rank, tag, seq LIMIT ?
