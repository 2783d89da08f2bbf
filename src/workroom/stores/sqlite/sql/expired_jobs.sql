-- but none that still takes up a worker, nor the last of either sequence: its number must not come again
SELECT seq FROM states
WHERE completed_at < ?
  AND seq NOT IN (SELECT job FROM attempts)
  AND seq <> (SELECT max(seq) FROM jobs)
  AND seq <> (SELECT job FROM transitions ORDER BY seq DESC LIMIT 1)
ORDER BY completed_at LIMIT ?
