SELECT id FROM jobs WHERE retry_of = ? LIMIT 1
