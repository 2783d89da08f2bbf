-- counted up to a thousand: beyond that nobody wants the number, and a list must not scan the queue
SELECT count(*) FROM (
  SELECT 1 FROM states
  WHERE extension = :extension AND status = 'pending' AND ready = 1 AND (rank, tag, seq) < (:rank, :tag, :seq)
  LIMIT 1000)
