SELECT s.status, count(*), max(j.created_at) FROM jobs j JOIN states s ON s.seq = j.seq
WHERE j.extension = ? GROUP BY s.status
