-- whose break is over and for which something waits
SELECT id FROM extensions e
WHERE opened_at <= ? AND trial IS NULL AND active = 1
  AND EXISTS (SELECT 1 FROM states WHERE extension = e.id AND status = 'pending' AND ready = 1)
