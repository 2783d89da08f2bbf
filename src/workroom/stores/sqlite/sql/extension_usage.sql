SELECT j.extension, s.status, count(*), max(j.created_at) FROM jobs j JOIN states s ON s.seq = j.seq
GROUP BY j.extension, s.status
