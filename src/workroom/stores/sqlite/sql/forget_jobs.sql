DELETE FROM jobs WHERE seq = ?
