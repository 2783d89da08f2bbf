-- name: schema
CREATE TABLE IF NOT EXISTS belonging (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  name TEXT NOT NULL,
  epoch TEXT
);

CREATE TABLE IF NOT EXISTS jobs (
  id TEXT PRIMARY KEY,
  seq INTEGER NOT NULL,
  room TEXT NOT NULL,
  scope TEXT NOT NULL,
  category TEXT NOT NULL,
  name TEXT NOT NULL,
  data BLOB NOT NULL,
  schema_hash TEXT NOT NULL,
  status TEXT NOT NULL,
  version INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  user TEXT NOT NULL,
  runner TEXT NOT NULL,
  worker TEXT,
  attempt INTEGER NOT NULL,
  created_us INTEGER NOT NULL,
  assigned_us INTEGER,
  started_us INTEGER,
  completed_us INTEGER NOT NULL,
  progress BLOB,
  result BLOB,
  error BLOB,
  owner TEXT NOT NULL,
  tries INTEGER NOT NULL,
  retry_of TEXT,
  parent TEXT,
  secrets BLOB,
  extension INTEGER NOT NULL,
  reports TEXT NOT NULL,
  grp TEXT
);
CREATE INDEX IF NOT EXISTS jobs_in_order ON jobs (seq);
CREATE INDEX IF NOT EXISTS jobs_of_room ON jobs (room, seq);
CREATE INDEX IF NOT EXISTS jobs_of_room_by_status ON jobs (room, status, seq);
CREATE INDEX IF NOT EXISTS jobs_of_user ON jobs (user, seq);
CREATE INDEX IF NOT EXISTS jobs_of_worker ON jobs (worker, seq);
CREATE INDEX IF NOT EXISTS jobs_of_parent ON jobs (parent, seq) WHERE parent IS NOT NULL;
CREATE INDEX IF NOT EXISTS jobs_by_end ON jobs (completed_us);
CREATE INDEX IF NOT EXISTS jobs_of_group ON jobs (grp, seq) WHERE grp IS NOT NULL;

CREATE TABLE IF NOT EXISTS transitions (
  job TEXT NOT NULL,
  version INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  room TEXT NOT NULL,
  user TEXT NOT NULL,
  status TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  worker TEXT,
  actor TEXT NOT NULL,
  reason TEXT,
  at_us INTEGER NOT NULL,
  PRIMARY KEY (job, version)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS transitions_of_room ON transitions (room, seq);

CREATE TABLE IF NOT EXISTS lines (
  job TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at TEXT NOT NULL,
  stream TEXT NOT NULL,
  text TEXT NOT NULL,
  level TEXT,
  attempt INTEGER NOT NULL,
  PRIMARY KEY (job, seq)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS artifacts (
  job TEXT NOT NULL,
  name TEXT NOT NULL,
  media_type TEXT NOT NULL,
  blob TEXT NOT NULL,
  size INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  created_us INTEGER NOT NULL,
  PRIMARY KEY (job, name)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS previews (
  job TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  version INTEGER NOT NULL,
  blob TEXT NOT NULL,
  size INTEGER NOT NULL,
  sha256 TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS chat (
  job TEXT PRIMARY KEY,
  seq INTEGER NOT NULL,
  room TEXT NOT NULL,
  user TEXT NOT NULL,
  text TEXT NOT NULL,
  at_us INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS chat_of_room ON chat (room, seq);

CREATE TABLE IF NOT EXISTS annotations (
  job TEXT PRIMARY KEY,
  room TEXT NOT NULL,
  seq INTEGER NOT NULL,
  version INTEGER NOT NULL,
  document BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS exchanges (job TEXT PRIMARY KEY, document BLOB NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS annotations_of_room ON annotations (room, seq);

-- name: add_groups
ALTER TABLE jobs ADD COLUMN grp TEXT;
