INSERT INTO previews (job, kind, version, blob, size, sha256) VALUES (?, ?, 1, ?, ?, ?)
ON CONFLICT (job) DO UPDATE SET
  kind = excluded.kind, version = version + 1, blob = excluded.blob, size = excluded.size, sha256 = excluded.sha256
RETURNING version
