-- Mirrors workroom.domain.rules.workers.registration.
local registration = {}

-- Whether two extensions of one name can both be there.
function registration.conflict(offered_runner, registered_runner, is_same_schema)
  if registered_runner ~= 'remote' and registered_runner ~= offered_runner then
    return 'name_reserved'
  end
  return is_same_schema and 'none' or 'other_schema'
end

-- Whether anything but the registering worker depends on an extension as it is registered.
function registration.is_held(runner, has_other_offers, is_unfinished)
  return runner ~= 'remote' or has_other_offers or is_unfinished
end

-- `public_conflict` is with an active public extension of the name, `own_conflict` with the one to join.
-- `is_own`: the server registers its own extensions, which replace others.
function registration.decide(public_conflict, own_conflict, is_known, is_active, is_held, is_own)
  if public_conflict ~= 'none' then
    return public_conflict
  end
  if not is_known then
    return 'create'
  end
  if not is_active then
    return 'revive'
  end
  if is_own or not is_held then
    return 'replace'
  end
  return own_conflict == 'none' and 'join' or own_conflict
end
