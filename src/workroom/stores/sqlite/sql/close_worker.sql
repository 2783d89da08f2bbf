UPDATE workers SET online = 0, boot = NULL, since = ? WHERE id = ?
