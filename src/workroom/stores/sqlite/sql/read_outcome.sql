SELECT result, error FROM outcomes WHERE seq = ?
