SELECT w.id, w.user, w.name, w.runner, w.slots, w.machine, w.online, w.draining, w.session, w.registered_at, w.since,
  (SELECT count(*) FROM attempts a WHERE a.worker = w.id AND a.started = 0),
  (SELECT count(*) FROM attempts a WHERE a.worker = w.id AND a.started = 1)
FROM workers w
WHERE (:id IS NULL OR w.id = :id)
  AND (:id IS NOT NULL OR EXISTS (
    SELECT 1 FROM offers o JOIN extensions e ON e.id = o.extension
    WHERE o.worker = w.id AND (:room IS NULL OR e.room IN (:room, ''))))
ORDER BY w.registered_at
