SELECT id, extension, status, retry_of FROM jobs WHERE completed_us < ? ORDER BY completed_us LIMIT ?
