UPDATE workers SET assignments = ? WHERE id = ?
