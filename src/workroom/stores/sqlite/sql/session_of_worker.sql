SELECT session, online, slots, assignments, boot, user FROM workers WHERE id = ?
