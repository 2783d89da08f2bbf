SELECT l.seq, l.at, l.stream, l.text, l.level, l.attempt
FROM jobs j JOIN logs l ON l.job = j.seq
WHERE j.id = ? AND l.seq > ?
ORDER BY l.seq LIMIT ?
