SELECT EXISTS (SELECT 1 FROM states WHERE extension = :extension AND status = 'pending')
    OR EXISTS (SELECT 1 FROM attempts WHERE extension = :extension)
