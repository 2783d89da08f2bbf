UPDATE extensions SET schema = ?, schema_hash = ?, runner = ?, owner = ?, policy = ?, active = 1 WHERE id = ?
