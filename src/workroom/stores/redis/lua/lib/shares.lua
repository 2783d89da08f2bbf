-- needs: step
-- Start-time fair queuing: a user's next job stands behind their own backlog, not behind everyone's.
local shares = {}

local function next_tag(rank, user)
  local name = rank .. SEP .. user
  if not shares[name] then
    local tags = call('HMGET', W .. 'shares:' .. rank, '', user)
    shares[name] = {rank, user, math.max(tonumber(tags[1] or 0), tonumber(tags[2] or 0))}
  end
  local tag = shares[name][3]
  shares[name][3] = tag + 1
  return tag
end

local function save_shares()
  for _, share in pairs(shares) do
    call('HSET', W .. 'shares:' .. share[1], share[2], share[3])
  end
end
