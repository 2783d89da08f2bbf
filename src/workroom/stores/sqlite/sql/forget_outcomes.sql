DELETE FROM outcomes WHERE seq = ?
