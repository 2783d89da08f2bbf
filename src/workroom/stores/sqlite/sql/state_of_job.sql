SELECT status, version, attempt, worker, extension, lane FROM states WHERE seq = ?
