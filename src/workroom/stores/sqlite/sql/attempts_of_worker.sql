SELECT a.job, j.id, a.attempt, a.token, a.number, a.started, s.attempt, s.status, j.room, j.user, s.version,
       a.extension, s.losses
FROM attempts a JOIN jobs j ON j.seq = a.job JOIN states s ON s.seq = a.job
WHERE a.worker = ? ORDER BY a.number
