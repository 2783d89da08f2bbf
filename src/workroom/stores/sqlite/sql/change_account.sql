UPDATE accounts SET
  role = coalesce(:role, role),
  password_hash = coalesce(:password_hash, password_hash),
  disabled = coalesce(:disabled, disabled),
  epoch = epoch + 1
WHERE name = :name
