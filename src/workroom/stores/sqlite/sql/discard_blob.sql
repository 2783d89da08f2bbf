DELETE FROM waste WHERE blob = ?
