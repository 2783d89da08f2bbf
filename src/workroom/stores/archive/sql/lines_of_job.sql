SELECT seq, at, stream, text, level, attempt FROM lines WHERE job = ? AND seq > ? ORDER BY seq LIMIT ?
