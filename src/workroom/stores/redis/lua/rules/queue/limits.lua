-- Mirrors workroom.domain.rules.queue.limits.
local limits = {}

-- An actor's lane carries its own limit behind its name: midjourney#1.
function limits.limit_of(concurrency, lane)
  if not concurrency then
    return NO_LIMIT
  end
  if concurrency.key == BY_ACTOR then
    return tonumber(lane:match(BY_ACTOR .. '(%d+)$')) or concurrency.default
  end
  return concurrency.limits[lane] or concurrency.default
end

-- How many more jobs the lane may show to the queue; below zero, how many it must take back.
function limits.free_places(limit, active, ready)
  return limit - active - ready
end
