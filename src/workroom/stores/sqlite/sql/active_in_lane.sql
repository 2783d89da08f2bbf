SELECT count(*) FROM attempts WHERE extension = ? AND lane = ?
