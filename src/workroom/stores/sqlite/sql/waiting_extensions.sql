SELECT e.id FROM extensions e
WHERE e.active = 1
  AND EXISTS (SELECT 1 FROM states s WHERE s.extension = e.id AND s.status = 'pending' AND s.ready = 1)
