-- errors that were not the end of their job, so that a report that is sent again is known
CREATE TABLE retried (
  job INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  token TEXT NOT NULL,
  worker TEXT NOT NULL,
  error BLOB NOT NULL,
  PRIMARY KEY (job, attempt)
) WITHOUT ROWID;
