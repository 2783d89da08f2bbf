INSERT INTO outcomes (seq, result, error) VALUES (?, ?, ?)
