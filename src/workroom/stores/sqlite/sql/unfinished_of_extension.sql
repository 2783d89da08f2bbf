SELECT EXISTS (SELECT 1 FROM states WHERE extension = :extension AND status = 'pending' AND ready = 1)
    OR EXISTS (SELECT 1 FROM attempts WHERE extension = :extension)
    OR EXISTS (SELECT 1 FROM states WHERE extension = :extension AND status = 'pending' AND lane IS NOT NULL
               AND due_at IS NULL)
    OR EXISTS (SELECT 1 FROM states WHERE due_at IS NOT NULL AND extension = :extension)
