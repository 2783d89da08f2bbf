-- `sha256` of a piece is its name, which may be a BLAKE3; its blob has no digest of its own

-- name: backup_blobs
SELECT blob, size, sha256 FROM files
UNION SELECT blob, size, sha256 FROM artifacts
UNION SELECT blob, size, sha256 FROM previews
UNION SELECT blob, size, sha256 FROM pieces

-- name: backup_counts
SELECT (SELECT count(*) FROM rooms WHERE NOT deleted), (SELECT count(*) FROM jobs),
  (SELECT coalesce(max(seq), 0) FROM transitions)

-- name: renew_epoch
UPDATE meta SET epoch = lower(hex(randomblob(8)))
