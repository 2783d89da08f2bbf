SELECT seq, extension, lane FROM states WHERE due_at <= ? ORDER BY due_at LIMIT 1000
