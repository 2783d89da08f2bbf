-- Mirrors workroom.domain.rules.exchanges.
local exchanges = {}

-- The first id wins.
function exchanges.set_external(known, id)
  if not known then
    return 'set'
  end
  return known == id and 'repeat' or 'taken'
end

-- Whether one more entry of this size can be recorded.
function exchanges.fits(count, size, more_size, max_count, max_size)
  return count < max_count and size + more_size <= max_size
end

-- The first answer wins.
function exchanges.answer(is_answered, is_same, has_ended, expires_us, now_us)
  if is_answered then
    return is_same and 'repeat' or 'answered'
  end
  if has_ended then
    return 'ended'
  end
  return expires_us and expires_us <= now_us and 'expired' or 'accept'
end
