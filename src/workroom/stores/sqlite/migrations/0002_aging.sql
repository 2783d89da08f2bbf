-- who has waited longest since they were last raised, wherever they wait
CREATE INDEX aging ON states (aged_at) WHERE status = 'pending' AND rank > 0;

-- what has already been replayed
CREATE INDEX replays ON jobs (retry_of) WHERE retry_of IS NOT NULL;
