-- a remote extension that nobody offers and no job waits for
SELECT room, category, name FROM extensions
WHERE id = :extension AND active = 1 AND runner = 'remote'
  AND NOT EXISTS (SELECT 1 FROM offers WHERE extension = :extension)
  AND NOT EXISTS (SELECT 1 FROM states WHERE extension = :extension AND status = 'pending' AND ready = 1)
  AND NOT EXISTS (SELECT 1 FROM attempts WHERE extension = :extension)
  AND NOT EXISTS (SELECT 1 FROM states WHERE extension = :extension AND status = 'pending' AND lane IS NOT NULL
                  AND due_at IS NULL)
  AND NOT EXISTS (SELECT 1 FROM states WHERE due_at IS NOT NULL AND extension = :extension)
