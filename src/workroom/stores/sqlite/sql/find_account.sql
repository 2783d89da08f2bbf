SELECT name, role, password_hash, epoch, disabled, created_at FROM accounts WHERE name = ?
