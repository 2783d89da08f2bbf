UPDATE workers SET draining = ? WHERE id = ?
