DELETE FROM revocations WHERE expires_at < ?
