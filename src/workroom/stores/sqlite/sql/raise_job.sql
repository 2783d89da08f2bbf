UPDATE states SET rank = :rank, tag = :tag, aged_at = :now WHERE seq = :seq
