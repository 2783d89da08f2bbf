-- Mirrors workroom.domain.rules.workers.lease.
local lease = {}

-- The lease of a worker that offers extensions with these leases, where false stands for the default.
function lease.lease_of(default, leases)
  local longest = 0
  for index = 1, #leases do
    longest = math.max(longest, leases[index] or default)
  end
  return longest
end

-- When the lease ends after the socket was lost: with the grace, unless a longer lease was requested.
function lease.until_after_disconnect(until_us, now, grace, own, default)
  if own > default then
    return until_us
  end
  return math.min(until_us, now + grace)
end
