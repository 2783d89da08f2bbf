SELECT status, reports FROM jobs WHERE id = ?
