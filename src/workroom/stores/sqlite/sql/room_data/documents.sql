-- name: find_document
SELECT d.room, d.key, d.version, d.content, d.size, d.user, d.job, d.changed_at, d.request
FROM documents d WHERE d.room = ? AND d.key = ?

-- name: find_document_content
SELECT d.room, d.key, d.version, d.size, d.user, d.job, d.changed_at, c.value FROM documents d
JOIN contents c ON c.room = d.room AND c.key = d.key AND c.number = d.content
WHERE d.room = ? AND d.key = ?

-- name: documents_of_room
SELECT room, key, version, size, user, job, changed_at FROM documents WHERE room = ? AND key <> 'frames' ORDER BY key

-- name: size_of_documents
SELECT count(*), coalesce(sum(size), 0) FROM documents WHERE room = ? AND key <> 'frames'

-- name: size_of_current_contents
SELECT coalesce(sum(size), 0) FROM documents WHERE room = ?

-- name: save_document
INSERT INTO documents (room, key, version, content, size, user, job, changed_at, request)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (room, key) DO UPDATE SET
  version = excluded.version, content = excluded.content, size = excluded.size, user = excluded.user,
  job = excluded.job, changed_at = excluded.changed_at, request = excluded.request

-- name: delete_document
DELETE FROM documents WHERE room = ? AND key = ?

-- name: insert_content
INSERT INTO contents (room, key, number, value) VALUES (?, ?, ?, ?)

-- name: find_content
SELECT value FROM contents WHERE room = ? AND key = ? AND number = ?

-- name: contents_of_key
SELECT value FROM contents WHERE room = ? AND key = ? ORDER BY number

-- name: size_of_content
SELECT length(value) FROM contents WHERE room = ? AND key = ? AND number = ?

-- name: size_of_contents
SELECT coalesce(sum(length(value)), 0) FROM contents WHERE room = ?

-- name: refer_to_content
UPDATE contents SET refs = refs + ? WHERE room = ? AND key = ? AND number = ?

-- name: forget_content
DELETE FROM contents WHERE room = ? AND key = ? AND number = ? AND refs <= 0
