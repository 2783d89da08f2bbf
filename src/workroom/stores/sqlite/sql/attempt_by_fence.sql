SELECT j.seq, j.room, j.user, s.status, s.version, s.attempt, s.token, s.nonce, s.extension, s.worker, s.tries,
       s.lane, a.token
FROM jobs j
JOIN states s ON s.seq = j.seq
LEFT JOIN attempts a ON a.worker = ? AND a.job = j.seq AND a.attempt = ?
WHERE j.id = ?
