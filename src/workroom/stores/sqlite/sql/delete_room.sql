UPDATE rooms SET deleted = 1 WHERE name = ?
