SELECT j.user, j.room FROM jobs j JOIN states s ON s.seq = j.seq
WHERE j.id = ? AND s.attempt = ? AND s.token = ? AND s.status = 'running'
