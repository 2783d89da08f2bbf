SELECT id, room, category, name FROM extensions WHERE runner = ? AND active = 1
