DELETE FROM progress WHERE seq = ?
