SELECT a.timeout, a.worker, a.job, j.id, a.attempt, a.token, a.number, a.started, s.token, s.status, j.room, j.user, s.version,
       a.extension, s.losses, s.tries, a.lane
FROM attempts a JOIN jobs j ON j.seq = a.job JOIN states s ON s.seq = a.job
WHERE a.timeout IS NOT NULL AND s.status = 'running' AND s.token = a.token
