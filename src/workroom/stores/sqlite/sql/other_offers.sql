SELECT 1 FROM offers WHERE extension = ? AND worker <> ? LIMIT 1
