DELETE FROM transitions WHERE job = ?
