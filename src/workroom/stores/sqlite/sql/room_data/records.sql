-- name: find_record
SELECT sequence, body, fields, user, job, created_at, updated_at FROM records
WHERE room = ? AND kind = ? AND id = ?

-- name: insert_record
INSERT INTO records (room, kind, id, body, fields, user, job, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: replace_record
UPDATE records SET body = ?, fields = ?, user = ?, job = ?, updated_at = ? WHERE sequence = ?

-- name: delete_record
DELETE FROM records WHERE sequence = ?

-- name: insert_record_field
INSERT INTO record_fields (room, kind, field, value, sequence) VALUES (?, ?, ?, ?, ?)

-- name: delete_record_fields
DELETE FROM record_fields WHERE room = ? AND kind = ? AND field = ? AND value = ? AND sequence = ?

-- name: totals_of_records
SELECT records, bytes FROM record_totals WHERE room = ?

-- name: count_records
INSERT INTO record_totals (room, records, bytes) VALUES (:room, :records, :bytes)
ON CONFLICT (room) DO UPDATE SET records = records + excluded.records, bytes = bytes + excluded.bytes

-- name: find_records
SELECT id, sequence, body, fields, user, job, created_at, updated_at FROM records
WHERE room = :room AND kind = :kind AND sequence < :before
ORDER BY sequence DESC LIMIT :limit

-- name: find_records_by_field
SELECT r.id, r.sequence, r.body, r.fields, r.user, r.job, r.created_at, r.updated_at
FROM record_fields f CROSS JOIN records r ON r.sequence = f.sequence
WHERE f.room = :room AND f.kind = :kind AND f.field = :field AND f.value = :value AND f.sequence < :before
ORDER BY f.sequence DESC LIMIT :limit

-- name: clear_records
DELETE FROM records WHERE room = ?

-- name: clear_record_fields
DELETE FROM record_fields WHERE room = ?

-- name: clear_record_totals
DELETE FROM record_totals WHERE room = ?
