-- what makes the numbers of this file unlike those of any other
CREATE TABLE meta (
  epoch TEXT NOT NULL,
  probe BLOB NOT NULL DEFAULT x'', -- written to see whether the disk takes it
  clock_seen INTEGER, -- the wall clock at the last sweep, if history is deleted by it
  clock_since INTEGER -- since when it has been steady
);
INSERT INTO meta (epoch) VALUES (lower(hex(randomblob(8))));

CREATE TABLE rooms (
  name TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  title TEXT NOT NULL DEFAULT '',
  private INTEGER NOT NULL DEFAULT 0,
  deleted INTEGER NOT NULL DEFAULT 0,
  workers TEXT NOT NULL DEFAULT 'consent',
  created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX rooms_of_owner ON rooms (owner) WHERE NOT deleted;
CREATE TABLE members (
  room TEXT NOT NULL,
  user TEXT NOT NULL,
  role TEXT NOT NULL,
  PRIMARY KEY (room, user)
) WITHOUT ROWID;

-- who was removed: invites that are older do not readmit them
CREATE TABLE removals (
  room TEXT NOT NULL,
  user TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (room, user)
) WITHOUT ROWID;

CREATE TABLE accounts (
  name TEXT PRIMARY KEY,
  role TEXT NOT NULL,
  password_hash TEXT,
  epoch INTEGER NOT NULL DEFAULT 0,
  disabled INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  display_name TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE INDEX guests ON accounts (name) WHERE role = 'guest';
CREATE INDEX accounts_with_revoked_tokens ON accounts (name) WHERE epoch > 0 OR disabled;

-- skeletons of ids and display names (UTS 39): no two accounts may share one
CREATE TABLE skeletons (skeleton TEXT PRIMARY KEY, account TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX skeletons_of_account ON skeletons (account);

-- tokens that count no more, until they would have expired
CREATE TABLE revocations (token TEXT PRIMARY KEY, expires_at INTEGER NOT NULL) WITHOUT ROWID;

CREATE TABLE codes (
  kind TEXT NOT NULL,
  digest TEXT NOT NULL,
  user TEXT NOT NULL,
  role TEXT NOT NULL,
  room TEXT,
  expires_at INTEGER NOT NULL,
  uses INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (kind, digest)
) WITHOUT ROWID;
CREATE INDEX codes_of_user ON codes (user, kind);
CREATE INDEX codes_of_room ON codes (room, kind);

-- room '' is public
CREATE TABLE extensions (
  id INTEGER PRIMARY KEY,
  room TEXT NOT NULL,
  category TEXT NOT NULL,
  name TEXT NOT NULL,
  schema BLOB NOT NULL,
  schema_hash TEXT NOT NULL,
  runner TEXT NOT NULL,
  owner TEXT NOT NULL,
  policy TEXT NOT NULL,
  active INTEGER NOT NULL,
  paused INTEGER NOT NULL DEFAULT 0,
  ends TEXT NOT NULL DEFAULT '', -- how the last jobs ended: 0 well, 1 failed
  opened_at INTEGER,
  trial TEXT,
  left_at INTEGER, -- when its last worker left
  leaves_at INTEGER, -- from then on it is no longer known, unless a job of it is unfinished
  created_at INTEGER NOT NULL,
  UNIQUE (room, category, name)
);
CREATE INDEX departed ON extensions (leaves_at) WHERE leaves_at IS NOT NULL;

-- those of deleted rooms have lost their schema: only their names are still needed, by jobs on record
CREATE INDEX extensions_of_owner ON extensions (owner) WHERE schema <> x'';
CREATE INDEX extensions_inactive ON extensions (id) WHERE active = 0;
CREATE INDEX actors ON extensions (json_extract(policy, '$.actor')) WHERE room = '' AND active = 1;

-- what was submitted; never changes
CREATE TABLE jobs (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  room TEXT NOT NULL,
  extension INTEGER NOT NULL,
  user TEXT NOT NULL,
  data BLOB NOT NULL,
  schema_hash TEXT NOT NULL,
  priority INTEGER NOT NULL,
  retry_of TEXT,
  parent TEXT,
  secrets BLOB, -- encrypted; `data` has masks in their places
  created_at INTEGER NOT NULL,
  unique_key TEXT -- those of one room and extension that have the same are duplicates
);
CREATE INDEX duplicates ON jobs (extension, room, unique_key, seq) WHERE unique_key IS NOT NULL;
CREATE INDEX jobs_of_room ON jobs (room, seq);
CREATE INDEX jobs_of_user ON jobs (user, seq);
CREATE INDEX replays ON jobs (retry_of) WHERE retry_of IS NOT NULL;
CREATE INDEX children ON jobs (parent, seq) WHERE parent IS NOT NULL;

-- where each job stands; small, so that a change is cheap
CREATE TABLE states (
  seq INTEGER PRIMARY KEY,
  extension INTEGER NOT NULL,
  status TEXT NOT NULL,
  version INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  tag REAL NOT NULL,
  lane TEXT,
  ready INTEGER NOT NULL, -- 1 if it may be handed out, 2 if only the rate holds it back, 3 if it is postponed
  due_at INTEGER,
  aged_at INTEGER NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0,
  losses INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0, -- whether its code has, in an earlier attempt
  attempt INTEGER NOT NULL DEFAULT 0,
  token TEXT,
  nonce TEXT,
  worker TEXT,
  assigned_at INTEGER,
  started_at INTEGER,
  completed_at INTEGER
);
-- the queue of each extension by what its jobs wait for; a lane has no more ready ones than its limit leaves room for
CREATE INDEX waiting ON states (extension, ready, rank, tag, seq) WHERE status = 'pending';
CREATE INDEX lanes ON states (extension, lane, ready, rank, tag, seq)
  WHERE status = 'pending' AND lane IS NOT NULL AND due_at IS NULL;
CREATE INDEX due ON states (due_at) WHERE due_at IS NOT NULL;
-- who has waited longest since they were last raised, wherever they wait
CREATE INDEX aging ON states (aged_at) WHERE status = 'pending' AND rank > 0;
CREATE INDEX failures ON states (seq) WHERE status = 'failed';

-- when the next job of each key may start, if the extension has a rate; nothing if it may start now
CREATE TABLE rates (
  extension INTEGER NOT NULL,
  key TEXT NOT NULL,
  next_at INTEGER NOT NULL,
  PRIMARY KEY (extension, key)
) WITHOUT ROWID;
CREATE INDEX rates_by_time ON rates (next_at);

CREATE TABLE outcomes (seq INTEGER PRIMARY KEY, result BLOB, error BLOB);
CREATE TABLE progress (seq INTEGER PRIMARY KEY, document BLOB NOT NULL);

-- what people wrote about jobs, as JSON: few jobs have any, and nothing that runs jobs reads it
CREATE TABLE annotations (
  job INTEGER PRIMARY KEY,
  room TEXT NOT NULL,
  version INTEGER NOT NULL,
  document BLOB NOT NULL
);
CREATE INDEX annotations_of_room ON annotations (room, job);

-- what jobs exchange with providers and people, as JSON: few jobs have any
CREATE TABLE exchanges (job INTEGER PRIMARY KEY, document BLOB NOT NULL);
-- jobs with a question that nobody has answered yet
CREATE TABLE open_questions (
  room TEXT NOT NULL,
  job INTEGER NOT NULL,
  PRIMARY KEY (room, job)
) WITHOUT ROWID;

-- what jobs print; a job's lines count on through its attempts, the first of an attempt follows `base`
CREATE TABLE logs (
  job INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  at TEXT NOT NULL,
  stream TEXT NOT NULL,
  level TEXT,
  text TEXT NOT NULL,
  PRIMARY KEY (job, seq)
) WITHOUT ROWID;
CREATE TABLE log_heads (
  job INTEGER PRIMARY KEY,
  attempt INTEGER NOT NULL,
  base INTEGER NOT NULL,
  last INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  full INTEGER NOT NULL
);

-- how the jobs of each extension ended; the last ends are packed, newest first
CREATE TABLE extension_usage (
  extension INTEGER PRIMARY KEY,
  completed INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  cancelled INTEGER NOT NULL,
  last_job_at INTEGER NOT NULL,
  last_failed INTEGER, -- the job
  recent BLOB NOT NULL
);

-- attempts that take up a worker, until it confirms the end or its lease runs out
CREATE TABLE attempts (
  job INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  token TEXT NOT NULL,
  worker TEXT NOT NULL,
  extension INTEGER NOT NULL,
  number INTEGER NOT NULL,
  started INTEGER NOT NULL DEFAULT 0,
  lane TEXT,
  timeout REAL,
  waits TEXT, -- for an answer or a child
  PRIMARY KEY (worker, job, attempt)
) WITHOUT ROWID;
CREATE INDEX attempts_in_lane ON attempts (extension, lane) WHERE lane IS NOT NULL;
CREATE INDEX limited ON attempts (timeout) WHERE timeout IS NOT NULL;

-- errors that were not the end of their job, so that a report that is sent again is known
CREATE TABLE retried (
  job INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  token TEXT NOT NULL,
  worker TEXT NOT NULL,
  error BLOB NOT NULL,
  PRIMARY KEY (job, attempt)
) WITHOUT ROWID;

-- audit, history and stream log in one
CREATE TABLE transitions (
  seq INTEGER PRIMARY KEY,
  job INTEGER NOT NULL,
  room TEXT NOT NULL,
  version INTEGER NOT NULL,
  status TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  worker TEXT,
  actor TEXT NOT NULL,
  reason TEXT,
  at INTEGER NOT NULL
);
CREATE INDEX history ON transitions (job, version);
CREATE INDEX events_of_room ON transitions (room, seq);

-- chat of a room: by people, and by the server when a job fails
CREATE TABLE chat (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  room TEXT NOT NULL,
  user TEXT NOT NULL,
  text TEXT NOT NULL,
  job INTEGER,
  job_id TEXT,
  at INTEGER NOT NULL,
  by_job TEXT
);
CREATE INDEX chat_of_room ON chat (room, seq);
CREATE INDEX chat_of_job ON chat (job) WHERE job IS NOT NULL;

-- start-time fair queuing: where each user's backlog ends; user '' has the virtual time
CREATE TABLE shares (
  rank INTEGER NOT NULL,
  user TEXT NOT NULL,
  tag REAL NOT NULL,
  PRIMARY KEY (rank, user)
) WITHOUT ROWID;

CREATE TABLE workers (
  id TEXT PRIMARY KEY,
  user TEXT NOT NULL,
  name TEXT NOT NULL,
  runner TEXT NOT NULL,
  slots INTEGER NOT NULL,
  machine BLOB NOT NULL,
  boot TEXT,
  session INTEGER NOT NULL DEFAULT 0,
  online INTEGER NOT NULL DEFAULT 0,
  draining INTEGER NOT NULL DEFAULT 0,
  lease REAL, -- in seconds, if one of its extensions has its own
  registered_at INTEGER NOT NULL,
  since INTEGER NOT NULL,
  served TEXT -- JSON: the extensions that it offered when it went offline
) WITHOUT ROWID;
CREATE INDEX workers_of_user ON workers (user, since);
CREATE INDEX workers_offline ON workers (since) WHERE NOT online;
CREATE TABLE offers (
  worker TEXT NOT NULL,
  extension INTEGER NOT NULL,
  PRIMARY KEY (worker, extension)
) WITHOUT ROWID;
CREATE INDEX offers_of_extension ON offers (extension);

-- offers that wait for consent, with all that is needed to make them
CREATE TABLE requests (
  worker TEXT NOT NULL,
  room TEXT NOT NULL,
  category TEXT NOT NULL,
  name TEXT NOT NULL,
  schema BLOB NOT NULL,
  schema_hash TEXT NOT NULL,
  runner TEXT NOT NULL,
  owner TEXT NOT NULL,
  policy TEXT NOT NULL,
  banned INTEGER NOT NULL,
  PRIMARY KEY (worker, room, category, name)
) WITHOUT ROWID;
-- who may offer an extension that somebody else owns
CREATE TABLE consents (
  extension INTEGER NOT NULL,
  user TEXT NOT NULL,
  PRIMARY KEY (extension, user)
) WITHOUT ROWID;
-- workers that may not come back, for a day
CREATE TABLE dismissals (
  worker TEXT PRIMARY KEY,
  actor TEXT NOT NULL,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX dismissals_by_age ON dismissals (at);
-- who needs consent for whatever they offer in a room, for a day
CREATE TABLE bans (
  room TEXT NOT NULL,
  user TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (room, user)
) WITHOUT ROWID;
CREATE INDEX bars_by_age ON bans (at);

-- what each user last typed into each form
CREATE TABLE forms (
  user TEXT NOT NULL,
  room TEXT NOT NULL,
  category TEXT NOT NULL,
  name TEXT NOT NULL,
  data BLOB NOT NULL,
  secrets BLOB, -- of settings, encrypted
  PRIMARY KEY (user, room, category, name)
) WITHOUT ROWID;

-- named values of forms: of the room if nobody holds them
CREATE TABLE presets (
  room TEXT NOT NULL,
  holder TEXT NOT NULL,
  category TEXT NOT NULL,
  extension TEXT NOT NULL,
  name TEXT NOT NULL,
  user TEXT NOT NULL,
  revision TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  data BLOB NOT NULL,
  UNIQUE (room, holder, category, extension, name)
);
CREATE INDEX presets_of_user ON presets (user);

-- a submit that is sent again within a day is the same job
CREATE TABLE idempotency (
  user TEXT NOT NULL,
  route TEXT NOT NULL,
  key TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  job_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (user, route, key)
) WITHOUT ROWID;
CREATE INDEX idempotency_by_age ON idempotency (at);

-- files: their bytes are in blobs, which only these rows know
CREATE TABLE artifacts (
  job INTEGER NOT NULL,
  name TEXT NOT NULL,
  media_type TEXT NOT NULL,
  blob TEXT NOT NULL,
  size INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (job, name)
) WITHOUT ROWID;
CREATE TABLE previews (
  job INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  version INTEGER NOT NULL,
  blob TEXT NOT NULL,
  size INTEGER NOT NULL,
  sha256 TEXT NOT NULL
);
CREATE TABLE files (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  room TEXT NOT NULL,
  user TEXT NOT NULL,
  name TEXT NOT NULL,
  media_type TEXT NOT NULL,
  blob TEXT NOT NULL,
  size INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX files_of_room ON files (room, seq);
-- blobs that nothing refers to, yet or any more
CREATE TABLE orphaned_blobs (blob TEXT PRIMARY KEY) WITHOUT ROWID;

-- what each user has in each room, added up where counting would have to read it all
CREATE TABLE usage (
  user TEXT NOT NULL,
  room TEXT NOT NULL,
  jobs INTEGER NOT NULL DEFAULT 0, -- unfinished
  files INTEGER NOT NULL DEFAULT 0, -- of the room, and saved by jobs
  bytes INTEGER NOT NULL DEFAULT 0, -- in these, in previews and in pieces of frames
  PRIMARY KEY (user, room)
) WITHOUT ROWID;
CREATE INDEX usage_of_room ON usage (room);

CREATE TRIGGER file_added AFTER INSERT ON files BEGIN
  INSERT INTO usage (user, room, files, bytes) VALUES (NEW.user, NEW.room, 1, NEW.size)
  ON CONFLICT (user, room) DO UPDATE SET files = files + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER file_deleted AFTER DELETE ON files BEGIN
  UPDATE usage SET files = files - 1, bytes = bytes - OLD.size WHERE user = OLD.user AND room = OLD.room;
END;
CREATE TRIGGER artifact_added AFTER INSERT ON artifacts BEGIN
  INSERT INTO usage (user, room, files, bytes) SELECT user, room, 1, NEW.size FROM jobs WHERE seq = NEW.job
  ON CONFLICT (user, room) DO UPDATE SET files = files + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER artifact_replaced AFTER UPDATE OF size ON artifacts BEGIN
  UPDATE usage SET bytes = bytes + NEW.size - OLD.size
  WHERE (user, room) = (SELECT user, room FROM jobs WHERE seq = NEW.job);
END;
CREATE TRIGGER artifact_deleted AFTER DELETE ON artifacts BEGIN
  UPDATE usage SET files = files - 1, bytes = bytes - OLD.size
  WHERE (user, room) = (SELECT user, room FROM jobs WHERE seq = OLD.job);
END;
CREATE TRIGGER preview_added AFTER INSERT ON previews BEGIN
  INSERT INTO usage (user, room, bytes) SELECT user, room, NEW.size FROM jobs WHERE seq = NEW.job
  ON CONFLICT (user, room) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER preview_replaced AFTER UPDATE OF size ON previews BEGIN
  UPDATE usage SET bytes = bytes + NEW.size - OLD.size
  WHERE (user, room) = (SELECT user, room FROM jobs WHERE seq = NEW.job);
END;
CREATE TRIGGER preview_deleted AFTER DELETE ON previews BEGIN
  UPDATE usage SET bytes = bytes - OLD.size
  WHERE (user, room) = (SELECT user, room FROM jobs WHERE seq = OLD.job);
END;

-- room data: locks, documents, frames, and their versions

-- each change of a room's data and each lock takes the next number
CREATE TABLE room_data (
  room TEXT PRIMARY KEY,
  change INTEGER NOT NULL DEFAULT 0,
  fence INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE locks (
  room TEXT NOT NULL,
  target TEXT NOT NULL,
  digest TEXT NOT NULL,
  user TEXT NOT NULL,
  job TEXT,
  attempt INTEGER, -- of the job
  message TEXT NOT NULL,
  fence INTEGER NOT NULL,
  acquired_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  ttl INTEGER NOT NULL,
  PRIMARY KEY (room, target)
) WITHOUT ROWID;
CREATE INDEX locks_by_expiry ON locks (expires_at);
-- who waits for a lock, in order
CREATE TABLE lock_places (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  room TEXT NOT NULL,
  target TEXT NOT NULL,
  digest TEXT NOT NULL,
  user TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  UNIQUE (room, target, digest)
);
-- `content` is the number of the change that made the content
CREATE TABLE documents (
  room TEXT NOT NULL,
  key TEXT NOT NULL,
  version INTEGER NOT NULL,
  content INTEGER NOT NULL,
  size INTEGER NOT NULL,
  user TEXT NOT NULL,
  job TEXT,
  changed_at INTEGER NOT NULL,
  request TEXT NOT NULL,
  PRIMARY KEY (room, key)
) WITHOUT ROWID;
-- kept as long as a document or a version refers to it
CREATE TABLE contents (
  room TEXT NOT NULL,
  key TEXT NOT NULL,
  number INTEGER NOT NULL,
  refs INTEGER NOT NULL DEFAULT 0,
  value BLOB NOT NULL,
  PRIMARY KEY (room, key, number)
);
CREATE TABLE versions (
  room TEXT NOT NULL,
  number INTEGER NOT NULL,
  kind TEXT NOT NULL,
  of INTEGER,
  user TEXT NOT NULL,
  job TEXT,
  at INTEGER NOT NULL,
  summary TEXT NOT NULL,
  state TEXT NOT NULL,
  request TEXT NOT NULL,
  edit_group TEXT NOT NULL, -- edits of one group make one version where possible
  PRIMARY KEY (room, number)
) WITHOUT ROWID;
CREATE INDEX versions_of_group ON versions (room, edit_group, number) WHERE edit_group <> '';
CREATE TABLE version_changes (
  room TEXT NOT NULL,
  number INTEGER NOT NULL,
  key TEXT NOT NULL,
  before INTEGER,
  after INTEGER,
  PRIMARY KEY (room, number, key)
) WITHOUT ROWID;

-- records of packs and users, and their index; `fields` repeats it, so that a record can be replaced
CREATE TABLE records (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  room TEXT NOT NULL,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  body BLOB NOT NULL,
  fields TEXT NOT NULL,
  user TEXT NOT NULL,
  job TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (room, kind, id)
);
CREATE INDEX records_by_time ON records (room, kind, sequence);
CREATE TABLE record_fields (
  room TEXT NOT NULL,
  kind TEXT NOT NULL,
  field TEXT NOT NULL,
  value TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  PRIMARY KEY (room, kind, field, value, sequence)
) WITHOUT ROWID;
CREATE TABLE record_totals (
  room TEXT PRIMARY KEY,
  records INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX version_changes_of_key ON version_changes (room, key, number);
-- attempts that changed a room or hold a lock there, until what they did is closed
CREATE TABLE job_edits (
  room TEXT NOT NULL,
  job TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  versions INTEGER NOT NULL, -- how many it made that are undone if it does not complete
  PRIMARY KEY (room, job, attempt)
) WITHOUT ROWID;

-- frames: the document `frames` lists segments, which list parts of pieces, whose bytes are in blobs
CREATE TABLE pieces (
  room TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  user TEXT NOT NULL,
  blob TEXT NOT NULL,
  size INTEGER NOT NULL,
  blob_sha256 TEXT NOT NULL,
  count INTEGER NOT NULL,
  buffers_at INTEGER NOT NULL,
  touched_at INTEGER NOT NULL, -- when it was last uploaded or used by an edit
  uses TEXT NOT NULL, -- the pieces that it takes arrays from, with spaces between them
  directory BLOB NOT NULL,
  PRIMARY KEY (room, sha256)
);
CREATE TABLE segments (
  room TEXT NOT NULL,
  id TEXT NOT NULL,
  touched_at INTEGER NOT NULL,
  content BLOB NOT NULL,
  PRIMARY KEY (room, id)
);
-- arrays of pieces that later messages may refer to
CREATE TABLE arrays (
  room TEXT NOT NULL,
  digest TEXT NOT NULL,
  piece TEXT NOT NULL,
  at INTEGER NOT NULL, -- its offset
  PRIMARY KEY (room, digest)
) WITHOUT ROWID;
CREATE INDEX arrays_of_piece ON arrays (room, piece);

CREATE TRIGGER piece_added AFTER INSERT ON pieces BEGIN
  INSERT INTO usage (user, room, bytes) VALUES (NEW.user, NEW.room, NEW.size)
  ON CONFLICT (user, room) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER piece_deleted AFTER DELETE ON pieces BEGIN
  UPDATE usage SET bytes = bytes - OLD.size WHERE user = OLD.user AND room = OLD.room;
END;
