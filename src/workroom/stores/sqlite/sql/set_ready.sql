UPDATE states SET ready = ? WHERE seq = ?
