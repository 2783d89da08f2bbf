SELECT blob FROM previews WHERE job = ?
