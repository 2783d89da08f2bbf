-- the best waiting job of each extension that the worker offers
SELECT s.seq, s.extension, s.rank, s.tag
FROM offers o
JOIN states s ON s.seq = (
  SELECT seq FROM states
  WHERE extension = o.extension AND status = 'pending'
  ORDER BY rank, tag, seq LIMIT 1)
WHERE o.worker = ?
