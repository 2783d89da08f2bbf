SELECT a.job, j.id, a.attempt, a.token, a.number, a.started, s.token, s.status, j.room, j.user, s.version,
       a.extension, s.losses, s.tries, a.lane
FROM attempts a JOIN jobs j ON j.seq = a.job JOIN states s ON s.seq = a.job
WHERE a.worker = ? ORDER BY a.number
