-- `sha256` is the name of a piece: a BLAKE3 of its message, or the SHA-256 that its uploader announced

-- name: insert_piece
INSERT INTO pieces (room, sha256, user, blob, size, blob_sha256, count, buffers_at, touched_at, uses, directory)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: find_piece
SELECT room, sha256, blob, size, blob_sha256, count, directory, buffers_at, uses FROM pieces
WHERE room = ? AND sha256 = ?

-- name: touch_piece
UPDATE pieces SET touched_at = :at WHERE room = :room AND sha256 = :piece RETURNING uses

-- name: delete_piece
DELETE FROM pieces WHERE room = ? AND sha256 = ? AND touched_at < ? RETURNING blob

-- name: clear_pieces
DELETE FROM pieces WHERE room = ? RETURNING blob

-- name: save_array
INSERT INTO arrays (room, digest, piece, at) VALUES (?, ?, ?, ?)
ON CONFLICT (room, digest) DO UPDATE SET piece = excluded.piece, at = excluded.at

-- name: find_array
SELECT piece, at FROM arrays WHERE room = ? AND digest = ?

-- name: delete_arrays
DELETE FROM arrays WHERE room = ? AND piece = ?

-- name: clear_arrays
DELETE FROM arrays WHERE room = ?

-- name: save_segment
INSERT INTO segments (room, id, touched_at, content) VALUES (?, ?, ?, ?)
ON CONFLICT (room, id) DO UPDATE SET touched_at = excluded.touched_at

-- name: find_segment
SELECT content FROM segments WHERE room = ? AND id = ?

-- name: delete_segment
DELETE FROM segments WHERE room = ? AND id = ? AND touched_at < ?

-- name: clear_segments
DELETE FROM segments WHERE room = ?

-- name: names_of_frames
SELECT name, is_piece, touched_at FROM (
  SELECT sha256 AS name, 1 AS is_piece, touched_at FROM pieces WHERE room = :room AND sha256 > :after
  UNION ALL
  SELECT id, 0, touched_at FROM segments WHERE room = :room AND id > :after
) AS names ORDER BY name LIMIT :limit
