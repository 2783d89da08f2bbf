SELECT seq FROM states
WHERE status IN ('completed', 'failed', 'cancelled') AND completed_at < ?
ORDER BY seq LIMIT 500
