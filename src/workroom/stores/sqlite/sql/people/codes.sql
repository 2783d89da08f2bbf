-- name: insert_code
INSERT INTO codes (kind, digest, user, role, room, expires_at, uses, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING

-- name: take_code
UPDATE codes SET uses = uses - NOT EXISTS (
    SELECT 1 FROM members
    WHERE members.room = codes.room AND members.user = :user AND members.role = codes.role
  )
WHERE kind = :kind AND digest = :digest AND uses > 0 AND expires_at > :at
  AND NOT EXISTS (
    SELECT 1 FROM removals
    WHERE removals.room = codes.room AND removals.user = :user AND removals.at >= codes.created_at
  )
RETURNING digest, kind, user, role, room, expires_at, uses

-- name: drop_codes
DELETE FROM codes WHERE kind = ? AND room IS ?

-- name: drop_codes_of_user
DELETE FROM codes WHERE user = ?

-- name: forget_codes
DELETE FROM codes WHERE uses < 1 OR expires_at < ?
