SELECT blob FROM waste WHERE blob > ? ORDER BY blob LIMIT ?
