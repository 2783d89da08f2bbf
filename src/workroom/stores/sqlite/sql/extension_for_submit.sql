SELECT active, schema_hash, room, category, name FROM extensions WHERE id = ?
