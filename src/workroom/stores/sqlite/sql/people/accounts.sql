-- name: insert_account
INSERT INTO accounts (name, role, password_hash, display_name, created_at) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING

-- name: find_account
SELECT name, role, password_hash, epoch, disabled, created_at, display_name FROM accounts WHERE name = ?

-- name: find_accounts
SELECT name, role, password_hash, epoch, disabled, created_at, display_name FROM accounts
WHERE name > ? ORDER BY name LIMIT ?

-- name: find_people
SELECT name, role, password_hash, epoch, disabled, created_at, display_name FROM accounts
WHERE name IN (SELECT value FROM json_each(?)) ORDER BY name

-- name: change_account
UPDATE accounts SET
  role = coalesce(:role, role),
  password_hash = coalesce(:password_hash, password_hash),
  disabled = coalesce(:disabled, disabled),
  epoch = epoch + 1
WHERE name = :name

-- name: rename_account
UPDATE accounts SET display_name = ? WHERE name = ?

-- name: insert_skeletons
INSERT INTO skeletons (skeleton, account) SELECT value, :name FROM json_each(:skeletons) WHERE true
ON CONFLICT DO NOTHING

-- name: clear_skeletons
DELETE FROM skeletons WHERE account = ?

-- name: find_confusable
SELECT account FROM skeletons
WHERE skeleton IN (SELECT value FROM json_each(:skeletons)) AND account <> :except LIMIT 1

-- name: accounts_with_revoked_tokens
SELECT name, epoch, disabled FROM accounts WHERE epoch > 0 OR disabled

-- name: revoke_token
INSERT INTO revocations (token, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING

-- name: revoked_tokens
SELECT token FROM revocations

-- name: forget_revoked
DELETE FROM revocations WHERE expires_at < ?
