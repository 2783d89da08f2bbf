SELECT blob FROM artifacts WHERE job = :job UNION ALL SELECT blob FROM previews WHERE job = :job
