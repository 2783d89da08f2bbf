SELECT j.room, j.user, CASE WHEN length(j.data) <= ? THEN j.data END, e.id, e.room, e.category, e.name
FROM jobs j JOIN extensions e ON e.id = j.extension WHERE j.seq = ?
