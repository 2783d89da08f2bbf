SELECT blob FROM artifacts WHERE job = ? AND name = ?
