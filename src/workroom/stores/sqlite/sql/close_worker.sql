UPDATE workers SET online = 0, draining = 0, boot = NULL, since = ? WHERE id = ?
