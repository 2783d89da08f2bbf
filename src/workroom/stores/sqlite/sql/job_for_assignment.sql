SELECT j.id, j.room, j.user, CASE WHEN length(j.data) <= ? THEN j.data END,
       s.attempt, s.version, s.lane, e.room, e.category, e.name, e.policy
FROM jobs j JOIN states s ON s.seq = j.seq JOIN extensions e ON e.id = j.extension
WHERE j.seq = ?
