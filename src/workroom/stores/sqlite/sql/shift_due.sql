UPDATE states SET due_at = due_at + ? WHERE due_at IS NOT NULL
