SELECT id, session FROM workers WHERE online OR EXISTS (SELECT 1 FROM offers WHERE worker = id)
