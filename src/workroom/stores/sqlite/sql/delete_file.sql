DELETE FROM files WHERE room = ? AND id = ? RETURNING blob
