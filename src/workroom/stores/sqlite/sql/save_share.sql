INSERT INTO shares (rank, user, tag) VALUES (?, ?, ?)
ON CONFLICT (rank, user) DO UPDATE SET tag = max(tag, excluded.tag)
