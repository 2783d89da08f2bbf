SELECT status, version, attempt, worker, extension FROM states WHERE seq = ?
