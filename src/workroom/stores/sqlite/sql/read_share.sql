SELECT coalesce((SELECT tag FROM service WHERE rank = :rank), 0.0),
       coalesce((SELECT finish FROM shares WHERE rank = :rank AND user = :user), 0.0)
