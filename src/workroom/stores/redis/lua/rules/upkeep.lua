-- Mirrors workroom.domain.rules.upkeep.
local upkeep = {}

-- Whether nobody swept for so long that no worker can be blamed for its silence: for half a lease.
function upkeep.is_outage(since_sweep, lease)
  return 2 * since_sweep > lease or since_sweep < 0
end

-- Whether a worker whose own lease has ended gets another, because of an outage that others outlast.
-- Sweeps are never much rarer than heartbeats, so a lease of less than two of them shows no outage.
function upkeep.spares(since_sweep, own_lease, heartbeat)
  return upkeep.is_outage(since_sweep, math.max(own_lease, 2 * heartbeat))
end

-- By how much the wall clock was set since the last sweep: what is due by it moves along.
function upkeep.clock_jump_us(wall, monotonic)
  local jump = wall - monotonic
  jump = jump < 0 and math.ceil(jump) or math.floor(jump)
  return math.abs(jump) > CLOCK_JUMP_US and jump or 0
end

function upkeep.is_upkeep_due(since_upkeep)
  return since_upkeep >= UPKEEP_US or since_upkeep < 0
end

-- Since when the wall clock has agreed with the times that the store recorded.
function upkeep.steady_since_us(now, seen, since, keep)
  if now - seen > math.floor(keep / 10) or now < since then
    return now
  end
  return since
end

-- Whether the clock has been steady for so long that history may be deleted by it.
function upkeep.may_forget(now, since, keep)
  return now - since >= math.min(DAY_US, math.floor(keep / 10))
end
