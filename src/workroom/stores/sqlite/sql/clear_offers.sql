DELETE FROM offers WHERE worker = ?
