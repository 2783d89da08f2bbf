INSERT INTO shares (rank, user, finish) VALUES (?, ?, ?)
ON CONFLICT (rank, user) DO UPDATE SET finish = excluded.finish
