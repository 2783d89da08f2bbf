INSERT OR IGNORE INTO waste (blob) SELECT blob FROM artifacts WHERE job = ?
