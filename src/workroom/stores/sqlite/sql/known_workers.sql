SELECT id, session FROM workers WHERE EXISTS (SELECT 1 FROM offers WHERE worker = id)
