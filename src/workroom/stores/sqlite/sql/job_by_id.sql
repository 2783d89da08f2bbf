SELECT seq, room, user FROM jobs WHERE id = ?
