-- needs: step rules/fair_share
-- Tags of fair queuing, read once per step and written at its end.
local shares, served = {}, {}

local function next_tag(rank, user)
  local name = rank .. SEP .. user
  if not shares[name] then
    local tags = call('HMGET', W .. 'shares:' .. rank, '', user)
    shares[name] = {rank, user, fair_share.start_tag(tonumber(tags[1] or 0), tonumber(tags[2] or 0))}
  end
  local tag = shares[name][3]
  shares[name][3] = fair_share.finish_tag(tag)
  return tag
end

local function save_shares()
  for _, share in pairs(shares) do
    call('HSET', W .. 'shares:' .. share[1], share[2], share[3])
  end
end

local function serve(job)
  served[job[JOB.rank]] = fair_share.begins(served[job[JOB.rank]] or job[JOB.tag], job[JOB.tag])
end

local function save_virtual_times()
  for rank, tag in pairs(served) do
    local key = W .. 'shares:' .. rank
    call('HSET', key, '', fair_share.virtual_time(tonumber(call('HGET', key, '') or 0), tag))
  end
end
