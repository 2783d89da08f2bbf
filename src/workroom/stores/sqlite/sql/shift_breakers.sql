UPDATE extensions SET opened_at = opened_at + ? WHERE opened_at IS NOT NULL
