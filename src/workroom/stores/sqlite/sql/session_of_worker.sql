SELECT session, online, slots, boot, user, draining FROM workers WHERE id = ?
