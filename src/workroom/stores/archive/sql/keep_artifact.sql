INSERT OR REPLACE INTO artifacts (job, name, media_type, blob, size, sha256, attempt, created_us)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
