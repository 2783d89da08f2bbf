INSERT OR REPLACE INTO previews (job, kind, version, blob, size, sha256) VALUES (?, ?, ?, ?, ?, ?)
