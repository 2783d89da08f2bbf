-- name: place_of_job
SELECT j.seq, j.user, s.status, s.extension, s.lane, s.ready, s.rank, s.tag, s.aged_at,
       p.placed, p.paused AND p.blockers = 0 AND p.run_at IS NULL
FROM jobs j JOIN states s ON s.seq = j.seq LEFT JOIN postponed p ON p.job = j.seq
WHERE j.id = ?

-- name: place_postponed
UPDATE postponed SET placed = 1 WHERE job = ?

-- name: set_place
UPDATE states SET rank = ?, tag = ?, aged_at = ? WHERE seq = ?
