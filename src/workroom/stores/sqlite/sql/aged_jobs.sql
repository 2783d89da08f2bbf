-- the first few of a rank, if they have waited long enough
SELECT seq FROM (
  SELECT seq, aged_at FROM states
  WHERE extension = :extension AND status = 'pending' AND ready = 1 AND rank = :rank
  ORDER BY tag, seq LIMIT :limit)
WHERE aged_at <= :before
