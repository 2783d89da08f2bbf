DELETE FROM previews WHERE job = ?
