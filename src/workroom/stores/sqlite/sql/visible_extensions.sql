SELECT e.id, e.room, e.category, e.name, e.schema, e.schema_hash, e.runner, e.owner, e.policy, e.active,
  (SELECT count(*) FROM offers o JOIN workers w ON w.id = o.worker
   WHERE o.extension = e.id AND w.online
     AND (SELECT count(*) FROM attempts a WHERE a.worker = w.id) < w.slots),
  (SELECT count(*) FROM offers o JOIN workers w ON w.id = o.worker
   WHERE o.extension = e.id AND w.online
     AND (SELECT count(*) FROM attempts a WHERE a.worker = w.id) >= w.slots),
  (SELECT count(*) FROM states s WHERE s.extension = e.id AND s.status = 'pending')
FROM extensions e
WHERE e.active = 1 AND (:room IS NULL OR e.room IN (:room, ''))
ORDER BY e.category, e.name, e.room DESC
