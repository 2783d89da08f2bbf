SELECT name, owner, title, private, created_at FROM rooms
WHERE NOT deleted AND name > :after
  AND (:user IS NULL OR NOT private OR owner = :user
    OR EXISTS (SELECT 1 FROM members m WHERE m.room = rooms.name AND m.user = :user))
ORDER BY name LIMIT :limit
