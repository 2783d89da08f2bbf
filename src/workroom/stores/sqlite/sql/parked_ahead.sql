SELECT count(*) FROM (
  SELECT 1 FROM states
  WHERE extension = :extension AND lane = :lane AND status = 'pending' AND due_at IS NULL AND ready = 0
    AND (rank, tag, seq) < (:rank, :tag, :seq)
  LIMIT 1000)
