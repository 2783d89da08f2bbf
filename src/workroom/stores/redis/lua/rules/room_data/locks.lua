-- Mirrors workroom.domain.rules.room_data.locks.
local locks = {}

-- A lock that would last longer than its lifetime is over too: the clock was set back.
function locks.is_live(expires_us, ttl_us, now_us)
  return expires_us - now_us > 0 and expires_us - now_us <= ttl_us
end

function locks.acquire(is_held, is_own, ahead, waits)
  if is_held and is_own then
    return 'keep'
  end
  if not is_held and ahead == 0 then
    return 'grant'
  end
  return waits and 'wait' or 'refuse'
end

function locks.exceeded(verdict, has_place, count, own, waiters, room, user, most)
  if verdict == 'grant' and count >= room then
    return 'locks_per_room'
  end
  local is_more = (verdict == 'grant' or verdict == 'wait') and not has_place
  if is_more and own >= user then
    return 'locks_per_user'
  end
  if is_more and verdict == 'wait' and waiters >= most then
    return 'waiters_per_lock'
  end
  return nil
end

function locks.is_place_due(expires_us, now_us)
  return expires_us - now_us < math.floor(PLACE_US * 2 / 3)
end

function locks.is_holders_job(holder, holder_job, user, job, parent)
  if not job or user ~= holder then
    return false
  end
  return not holder_job or holder_job == job or holder_job == parent
end

-- A token that holds nothing is one that was lost: its owner believes to be alone.
function locks.write(is_held, is_own, has_token, is_holders_job)
  if is_held then
    return (is_own or is_holders_job) and 'write' or 'locked'
  end
  return has_token and 'lost' or 'write'
end
