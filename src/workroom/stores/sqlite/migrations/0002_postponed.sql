-- pending jobs that are not in the queue yet; `ready` of their states is 3
CREATE TABLE postponed (
  job INTEGER PRIMARY KEY,
  run_at INTEGER,
  blockers INTEGER NOT NULL, -- jobs and groups that must end first
  paused INTEGER NOT NULL, -- with its group
  placed INTEGER NOT NULL, -- it was in the queue before, and returns to its place
  refs INTEGER NOT NULL, -- results must be filled into its values first
  due_at INTEGER -- when it is enqueued, if that is known
);
CREATE INDEX postponed_until ON postponed (due_at) WHERE due_at IS NOT NULL;
