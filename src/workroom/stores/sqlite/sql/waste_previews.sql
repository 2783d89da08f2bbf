INSERT OR IGNORE INTO waste (blob) SELECT blob FROM previews WHERE job = ?
