UPDATE workers SET session = ?, boot = ?, online = 1, since = ? WHERE id = ?
