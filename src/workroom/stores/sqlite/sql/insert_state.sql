INSERT INTO states (seq, extension, status, version, rank, tag, lane, ready, aged_at)
VALUES (?, ?, 'pending', 1, ?, ?, ?, ?, ?)
