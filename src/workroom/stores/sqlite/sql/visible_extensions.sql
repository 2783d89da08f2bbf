SELECT e.id, e.room, e.category, e.name, e.schema, e.schema_hash, e.runner, e.owner, e.policy, e.active,
  (SELECT count(*) FROM offers o JOIN workers w ON w.id = o.worker
   WHERE o.extension = e.id AND w.online
     AND (SELECT count(*) FROM attempts a WHERE a.worker = w.id) < w.slots),
  (SELECT count(*) FROM offers o JOIN workers w ON w.id = o.worker
   WHERE o.extension = e.id AND w.online
     AND (SELECT count(*) FROM attempts a WHERE a.worker = w.id) >= w.slots),
  (SELECT count(*) FROM states s WHERE s.extension = e.id AND s.status = 'pending' AND s.ready = 1)
  + (SELECT count(*) FROM states s WHERE s.extension = e.id AND s.status = 'pending' AND s.lane IS NOT NULL
     AND s.due_at IS NULL AND s.ready = 0)
  + (SELECT count(*) FROM states s WHERE s.due_at IS NOT NULL AND s.extension = e.id),
  e.paused, e.opened_at
FROM extensions e
WHERE e.active = 1 AND (:room IS NULL OR e.room IN (:room, ''))
ORDER BY e.category, e.name, e.room DESC
