SELECT session, online, slots, boot, user FROM workers WHERE id = ?
