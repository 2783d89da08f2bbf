-- assigned, not started, and its worker has a free slot
SELECT a.worker, a.job, j.id, a.attempt, a.token, a.number, a.started, s.token, s.status, j.room, j.user,
       s.version, a.extension, s.losses, s.tries, a.lane
FROM attempts a JOIN jobs j ON j.seq = a.job JOIN states s ON s.seq = a.job JOIN workers w ON w.id = a.worker
WHERE a.started = 0 AND s.status = 'assigned' AND s.token = a.token
  AND (SELECT count(*) FROM attempts b WHERE b.worker = a.worker AND b.started = 1) < w.slots
