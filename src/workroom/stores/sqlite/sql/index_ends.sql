-- made only where jobs are forgotten: it would cost every job a write
CREATE INDEX IF NOT EXISTS ends ON states (completed_at) WHERE completed_at IS NOT NULL
