INSERT OR REPLACE INTO jobs (
  seq, id, room, scope, category, name, data, schema_hash, status, version, priority, user, runner, worker, attempt,
  created_us, assigned_us, started_us, completed_us, progress, result, error, owner, tries, retry_of, extension, reports
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
