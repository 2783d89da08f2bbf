SELECT j.seq, j.id, j.room, e.room, e.category, e.name, j.data, j.schema_hash, s.status, s.version, j.priority,
       j.user, e.runner, s.worker, s.attempt, j.created_at, s.assigned_at, s.started_at, s.completed_at,
       p.document, o.result, o.error, e.owner, s.tries, j.retry_of, s.extension, s.lane, s.ready, s.due_at,
       e.paused, e.opened_at, s.rank, s.tag
FROM jobs j
JOIN states s ON s.seq = j.seq
JOIN extensions e ON e.id = j.extension
LEFT JOIN outcomes o ON o.seq = j.seq
LEFT JOIN progress p ON p.seq = j.seq
