-- name: insert_file
INSERT INTO files (id, room, user, name, media_type, blob, size, sha256, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
RETURNING seq

-- name: find_files
SELECT seq, id, room, user, name, media_type, blob, size, sha256, created_at FROM files
WHERE room = :room AND (:id IS NULL OR id = :id) AND (:before IS NULL OR seq < :before)
ORDER BY seq DESC LIMIT :limit

-- name: delete_file
DELETE FROM files WHERE room = ? AND id = ? RETURNING blob

-- name: clear_files
DELETE FROM files WHERE room = ? RETURNING blob

-- name: save_artifact
INSERT INTO artifacts (job, name, media_type, blob, size, sha256, attempt, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (job, name) DO UPDATE SET
  media_type = excluded.media_type, blob = excluded.blob, size = excluded.size, sha256 = excluded.sha256,
  attempt = excluded.attempt, created_at = excluded.created_at

-- name: artifacts_of_job
SELECT j.id, a.name, a.media_type, a.blob, a.size, a.sha256, a.attempt, a.created_at
FROM jobs j JOIN artifacts a ON a.job = j.seq
WHERE j.id = :job AND (:name IS NULL OR a.name = :name)
ORDER BY a.name

-- name: blob_of_artifact
SELECT blob FROM artifacts WHERE job = ? AND name = ?

-- name: save_preview
INSERT INTO previews (job, kind, version, blob, size, sha256) VALUES (?, ?, 1, ?, ?, ?)
ON CONFLICT (job) DO UPDATE SET
  kind = excluded.kind, version = version + 1, blob = excluded.blob, size = excluded.size, sha256 = excluded.sha256
RETURNING version

-- name: preview_of_job
SELECT j.id, p.kind, p.version, p.blob, p.size, p.sha256
FROM jobs j JOIN previews p ON p.job = j.seq
WHERE j.id = ?

-- name: blob_of_preview
SELECT blob FROM previews WHERE job = ?

-- name: reserve_blob
INSERT INTO orphaned_blobs (blob) VALUES (?) ON CONFLICT DO NOTHING

-- name: discard_blob
DELETE FROM orphaned_blobs WHERE blob = ?

-- name: find_orphaned_blobs
SELECT blob FROM orphaned_blobs WHERE blob > ? ORDER BY blob LIMIT ?
