-- how many jobs its connected workers can run, and how many of those places are free
SELECT coalesce(sum(w.slots), 0),
       coalesce(sum(max(0, w.slots - (SELECT count(*) FROM attempts a WHERE a.worker = w.id))), 0)
FROM offers o JOIN workers w ON w.id = o.worker
WHERE o.extension = ? AND w.online AND NOT w.draining
