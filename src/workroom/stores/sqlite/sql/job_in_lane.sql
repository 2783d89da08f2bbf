SELECT j.id FROM attempts a JOIN jobs j ON j.seq = a.job WHERE a.extension = ? AND a.lane = ? LIMIT 1
