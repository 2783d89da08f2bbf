-- name: insert_offer
INSERT INTO offers (worker, extension) VALUES (?, ?) ON CONFLICT DO NOTHING

-- name: delete_offer
DELETE FROM offers WHERE worker = ? AND extension = ?

-- name: clear_offers
DELETE FROM offers WHERE worker = ?

-- name: clear_remote_offers
DELETE FROM offers WHERE extension = ? AND worker IN (SELECT id FROM workers WHERE runner = 'remote')

-- name: other_offers
SELECT 1 FROM offers WHERE extension = ? AND worker <> ? LIMIT 1

-- name: offers_of_worker
SELECT extension FROM offers WHERE worker = ?

-- name: offered_policies
SELECT e.policy FROM offers o JOIN extensions e ON e.id = o.extension WHERE o.worker = ?

-- name: offers_with_key
SELECT o.extension, e.room, e.category, e.name FROM offers o JOIN extensions e ON e.id = o.extension
WHERE o.worker = ?

-- name: offers_with_room
SELECT o.extension, e.room FROM offers o JOIN extensions e ON e.id = o.extension WHERE o.worker = ?

-- name: offered_keys
SELECT e.room, e.category, e.name FROM offers o JOIN extensions e ON e.id = o.extension
WHERE o.worker = ? ORDER BY e.category, e.name
