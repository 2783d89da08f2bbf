SELECT coalesce((SELECT tag FROM shares WHERE rank = :rank AND user = ''), 0.0),
       coalesce((SELECT tag FROM shares WHERE rank = :rank AND user = :user), 0.0)
