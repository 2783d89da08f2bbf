INSERT INTO service (rank, tag) VALUES (?, ?)
ON CONFLICT (rank) DO UPDATE SET tag = max(tag, excluded.tag)
