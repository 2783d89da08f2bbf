SELECT count(*) FROM (SELECT 1 FROM states WHERE extension = ? AND status = 'pending' AND ready = 1 LIMIT 1000)
