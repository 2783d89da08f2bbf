-- name: insert_room
INSERT INTO rooms (name, owner, title, private, created_at) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING

-- name: find_room
SELECT name, owner, title, private, workers, created_at, deleted FROM rooms WHERE name = ?

-- name: find_rooms
SELECT name, owner, title, private, workers, created_at FROM rooms
WHERE NOT deleted AND name > :after
  AND (:user IS NULL OR NOT private OR owner = :user
    OR EXISTS (SELECT 1 FROM members m WHERE m.room = rooms.name AND m.user = :user))
ORDER BY name LIMIT :limit

-- name: change_room
UPDATE rooms SET title = coalesce(:title, title), private = coalesce(:private, private),
  workers = coalesce(:workers, workers)
WHERE name = :name

-- name: delete_room
UPDATE rooms SET deleted = 1 WHERE name = ?

-- name: is_room_deleted
SELECT deleted FROM rooms WHERE name = ?

-- name: insert_member
INSERT INTO members (room, user, role) VALUES (?, ?, ?)
ON CONFLICT (room, user) DO UPDATE SET role = excluded.role

-- name: delete_member
DELETE FROM members WHERE room = ? AND user = ?

-- name: clear_members
DELETE FROM members WHERE room = ?

-- name: members_of_room
SELECT user, role FROM members WHERE room = ?

-- name: save_removal
INSERT INTO removals (room, user, at)
SELECT room, user, :at FROM members WHERE room = :room AND user = :user
ON CONFLICT (room, user) DO UPDATE SET at = excluded.at

-- name: forget_removal
DELETE FROM removals WHERE room = ? AND user = ?

-- name: clear_removals
DELETE FROM removals WHERE room = ?
