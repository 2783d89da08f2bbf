SELECT j.seq, j.id, j.room, e.room, e.category, e.name, j.data, j.schema_hash, s.status, s.version, j.priority,
       j.user, e.runner, s.worker, s.attempt, j.created_at, s.assigned_at, s.started_at, s.completed_at,
       p.document, o.result, o.error, e.owner,
       CASE WHEN s.status = 'pending' THEN (
         SELECT count(*) FROM states w
         WHERE w.extension = s.extension AND w.status = 'pending'
           AND (w.rank, w.tag, w.seq) < (s.rank, s.tag, s.seq)) END
FROM jobs j
JOIN states s ON s.seq = j.seq
JOIN extensions e ON e.id = j.extension
LEFT JOIN outcomes o ON o.seq = j.seq
LEFT JOIN progress p ON p.seq = j.seq
