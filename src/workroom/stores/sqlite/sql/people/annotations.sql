-- name: annotated_job
SELECT j.seq, j.room, coalesce(a.version, 0) FROM jobs j LEFT JOIN annotations a ON a.job = j.seq WHERE j.id = ?

-- name: save_annotation
INSERT INTO annotations (job, room, version, document) VALUES (?, ?, ?, ?)
ON CONFLICT (job) DO UPDATE SET version = excluded.version, document = excluded.document

-- name: forget_annotations
DELETE FROM annotations WHERE job = ?
