SELECT failures, opened_at, trial FROM extensions WHERE id = ?
