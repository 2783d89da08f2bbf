INSERT INTO artifacts (job, name, media_type, blob, size, sha256, attempt, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (job, name) DO UPDATE SET
  media_type = excluded.media_type, blob = excluded.blob, size = excluded.size, sha256 = excluded.sha256,
  attempt = excluded.attempt, created_at = excluded.created_at
