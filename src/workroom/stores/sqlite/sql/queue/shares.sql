-- name: read_share
SELECT coalesce((SELECT tag FROM shares WHERE rank = :rank AND user = ''), 0.0),
       coalesce((SELECT tag FROM shares WHERE rank = :rank AND user = :user), 0.0)

-- name: save_share
INSERT INTO shares (rank, user, tag) VALUES (?, ?, ?)
ON CONFLICT (rank, user) DO UPDATE SET tag = max(tag, excluded.tag)
