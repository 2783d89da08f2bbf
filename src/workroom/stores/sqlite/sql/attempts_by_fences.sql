SELECT f.key, j.seq, j.room, j.user, s.status, s.version, s.attempt, s.token, s.nonce, s.extension, s.worker, s.tries,
       s.lane, a.token
FROM json_each(?) f
CROSS JOIN jobs j ON j.id = json_extract(f.value, '$[0]')
CROSS JOIN states s ON s.seq = j.seq
LEFT JOIN attempts a ON a.worker = ? AND a.job = j.seq AND a.attempt = json_extract(f.value, '$[1]')
