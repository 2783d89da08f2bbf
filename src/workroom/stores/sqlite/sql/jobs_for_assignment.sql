SELECT j.id, j.room, j.user, CASE WHEN length(j.data) <= ? THEN j.data END,
       s.attempt, s.version, s.lane, e.room, e.category, e.name, e.policy
FROM json_each(?) f
CROSS JOIN jobs j ON j.seq = f.value
CROSS JOIN states s ON s.seq = j.seq
CROSS JOIN extensions e ON e.id = j.extension
ORDER BY f.key
