SELECT seq, id, room, user, name, media_type, blob, size, sha256, created_at FROM files
WHERE room = :room AND (:id IS NULL OR id = :id) AND (:before IS NULL OR seq < :before)
ORDER BY seq DESC LIMIT :limit
