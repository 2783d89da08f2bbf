DELETE FROM codes WHERE uses < 1 OR expires_at < ?
