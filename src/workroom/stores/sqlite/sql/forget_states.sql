DELETE FROM states WHERE seq = ?
