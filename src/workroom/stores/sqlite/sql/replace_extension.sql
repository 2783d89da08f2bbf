-- one that had left comes back unpaused and trusted
UPDATE extensions
SET schema = ?, schema_hash = ?, runner = ?, owner = ?, policy = ?, active = 1,
    paused = paused * active,
    failures = failures * active,
    opened_at = CASE WHEN active THEN opened_at END,
    trial = CASE WHEN active THEN trial END
WHERE id = ?
