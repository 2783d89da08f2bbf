DELETE FROM files WHERE room = ? RETURNING blob
