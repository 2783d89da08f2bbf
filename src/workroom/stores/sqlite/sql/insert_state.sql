INSERT INTO states (seq, extension, status, version, rank, tag) VALUES (?, ?, 'pending', 1, ?, ?)
