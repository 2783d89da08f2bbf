SELECT DISTINCT lane FROM states
WHERE extension = ? AND status = 'pending' AND lane IS NOT NULL AND due_at IS NULL
