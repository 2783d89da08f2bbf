DELETE FROM retried WHERE job = ?
