ALTER TABLE jobs ADD COLUMN grp TEXT; -- its group, if it has one
CREATE INDEX jobs_of_group ON jobs (grp, seq) WHERE grp IS NOT NULL;
ALTER TABLE states ADD COLUMN followed INTEGER NOT NULL DEFAULT 0; -- whether other jobs wait for its end

-- jobs that were submitted as one thing; how many have ended is counted here, who runs is found by attempt
CREATE TABLE job_groups (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  room TEXT NOT NULL,
  user TEXT NOT NULL,
  title TEXT NOT NULL,
  parameters TEXT NOT NULL, -- JSON
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  open INTEGER NOT NULL DEFAULT 1,
  paused INTEGER NOT NULL DEFAULT 0,
  cancelled INTEGER NOT NULL DEFAULT 0,
  change TEXT, -- what is being carried out
  changed_to INTEGER NOT NULL DEFAULT 0, -- the last job for which it was
  actor TEXT,
  reason TEXT,
  version INTEGER NOT NULL DEFAULT 1,
  jobs INTEGER NOT NULL DEFAULT 0,
  retried INTEGER NOT NULL DEFAULT 0, -- failed jobs that others replace
  completed_jobs INTEGER NOT NULL DEFAULT 0,
  failed_jobs INTEGER NOT NULL DEFAULT 0,
  cancelled_jobs INTEGER NOT NULL DEFAULT 0,
  followed INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX groups_of_room ON job_groups (room, seq);
CREATE INDEX changing_groups ON job_groups (seq) WHERE change IS NOT NULL;

-- the jobs of a group in the order of their ends
CREATE TABLE group_ends (
  grp TEXT NOT NULL,
  number INTEGER NOT NULL,
  job INTEGER NOT NULL,
  PRIMARY KEY (grp, number)
) WITHOUT ROWID;

-- job `after` waits for the end of `before`, a job or a group
CREATE TABLE arrows (
  before TEXT NOT NULL,
  after INTEGER NOT NULL,
  on_end INTEGER NOT NULL, -- any end counts, not only completion
  PRIMARY KEY (before, after)
) WITHOUT ROWID;
CREATE INDEX arrows_to ON arrows (after);

-- what has ended, while not all jobs that wait for it know
CREATE TABLE followups (
  seq INTEGER PRIMARY KEY,
  before TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL,
  followed_to INTEGER NOT NULL
);
