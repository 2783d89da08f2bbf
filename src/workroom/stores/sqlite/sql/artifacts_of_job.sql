SELECT j.id, a.name, a.media_type, a.blob, a.size, a.sha256, a.attempt, a.created_at
FROM jobs j JOIN artifacts a ON a.job = j.seq
WHERE j.id = :job AND (:name IS NULL OR a.name = :name)
ORDER BY a.name
