UPDATE states
SET rank = rank - 1, aged_at = :now,
    tag = coalesce((SELECT tag FROM shares WHERE rank = states.rank - 1 AND user = ''), 0.0)
WHERE seq = :seq
