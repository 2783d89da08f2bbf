SELECT worker, count(*) FROM attempts GROUP BY worker
