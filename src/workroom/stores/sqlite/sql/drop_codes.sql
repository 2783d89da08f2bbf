DELETE FROM codes WHERE kind = ? AND room IS ?
