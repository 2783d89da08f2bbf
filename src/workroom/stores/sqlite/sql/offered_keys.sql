SELECT e.room, e.category, e.name FROM offers o JOIN extensions e ON e.id = o.extension
WHERE o.worker = ? ORDER BY e.category, e.name
