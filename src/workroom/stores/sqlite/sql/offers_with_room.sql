SELECT o.extension, e.room FROM offers o JOIN extensions e ON e.id = o.extension WHERE o.worker = ?
