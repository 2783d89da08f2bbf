-- name: keep_job
INSERT OR REPLACE INTO jobs (
  seq, id, room, scope, category, name, data, schema_hash, status, version, priority, user, runner, worker, attempt,
  created_us, assigned_us, started_us, completed_us, progress, result, error, owner, tries, retry_of, parent, secrets, extension,
  reports, grp
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: keep_transition
INSERT OR REPLACE INTO transitions (seq, job, room, user, version, status, attempt, worker, actor, reason, at_us)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: keep_line
INSERT OR REPLACE INTO lines (job, seq, at, stream, text, level, attempt) VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: keep_artifact
INSERT OR REPLACE INTO artifacts (job, name, media_type, blob, size, sha256, attempt, created_us)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)

-- name: keep_preview
INSERT OR REPLACE INTO previews (job, kind, version, blob, size, sha256) VALUES (?, ?, ?, ?, ?, ?)

-- name: keep_chat
INSERT OR REPLACE INTO chat (seq, room, user, text, job, at_us) VALUES (?, ?, ?, ?, ?, ?)

-- name: keep_annotation
INSERT INTO annotations (job, room, seq, version, document) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (job) DO UPDATE SET version = excluded.version, document = excluded.document
WHERE excluded.version > annotations.version

-- name: keep_exchanges
INSERT OR REPLACE INTO exchanges (job, document) VALUES (?, ?)
