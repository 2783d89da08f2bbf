-- a trial is an attempt, by its token: an earlier attempt at the same job must not end it
ALTER TABLE extensions DROP COLUMN trial;
ALTER TABLE extensions ADD COLUMN trial TEXT;
