SELECT j.id, p.kind, p.version, p.blob, p.size, p.sha256
FROM jobs j JOIN previews p ON p.job = j.seq
WHERE j.id = ?
