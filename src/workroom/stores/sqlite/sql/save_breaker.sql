UPDATE extensions SET failures = ?, opened_at = ?, trial = ? WHERE id = ?
