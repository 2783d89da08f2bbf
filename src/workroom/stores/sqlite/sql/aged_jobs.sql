-- who has waited longest, ready or not, with the rank above
SELECT s.seq, s.extension, s.lane, s.rank - 1, j.user
FROM states s JOIN jobs j ON j.seq = s.seq
WHERE s.status = 'pending' AND s.rank > 0 AND s.aged_at <= ?
ORDER BY s.aged_at, s.seq LIMIT ?
