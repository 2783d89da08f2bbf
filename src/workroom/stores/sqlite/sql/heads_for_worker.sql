-- the best job that may be handed out of each extension that the worker offers, and whether it is a trial
SELECT s.seq, s.extension, s.rank, s.tag, e.opened_at IS NOT NULL
FROM offers o
JOIN extensions e ON e.id = o.extension
JOIN states s ON s.seq = (
  SELECT seq FROM states
  WHERE extension = o.extension AND status = 'pending' AND ready = 1
  ORDER BY rank, tag, seq LIMIT 1)
WHERE o.worker = :worker AND e.paused = 0
  AND (e.opened_at IS NULL OR (e.trial IS NULL AND e.opened_at <= :opened_before))
