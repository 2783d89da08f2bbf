UPDATE codes SET uses = uses - 1 WHERE kind = ? AND digest = ? AND uses > 0 AND expires_at > ?
RETURNING digest, kind, user, role, room, expires_at, uses
