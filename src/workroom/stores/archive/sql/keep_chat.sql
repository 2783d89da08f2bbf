INSERT OR REPLACE INTO chat (seq, room, user, text, job, at_us) VALUES (?, ?, ?, ?, ?, ?)
