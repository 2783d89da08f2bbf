SELECT epoch, coalesce((SELECT max(seq) FROM transitions), 0),
       coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'chat'), 0)
FROM meta
