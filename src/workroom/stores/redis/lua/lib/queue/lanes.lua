-- needs: pacing rules/limits
-- Keeps the ready jobs of each lane within its limit, and within its rate.
local function lane_keys(id, lane)
  local name = id .. ':' .. lane
  return W .. 'open:' .. name, W .. 'parked:' .. name, W .. 'active:' .. name
end

-- Give jobs a place in their lane. Jobs of a rate are paced before they are ready.
local function open_up(id, lane, members)
  local open, parked = lane_keys(id, lane)
  local extension, queue = extension_of(id), W .. 'ready:' .. id
  if pacing.rate_of(extension, lane) then
    queue = pacing.pace_keys(id, pacing.bucket_of(extension, lane))
  end
  for index = 1, #members, 2 do
    local member, score = members[index], members[index + 1]
    call('ZREM', parked, member)
    call('ZADD', open, score, member)
    call('ZADD', queue, score, member)
  end
end

local function park(id, lane, members)
  local open, parked = lane_keys(id, lane)
  for index = 1, #members, 2 do
    local member, score = members[index], members[index + 1]
    call('ZREM', open, member)
    call('ZREM', W .. 'ready:' .. id, member)
    pacing.unpace(extension_of(id), lane, member)
    call('ZADD', parked, score, member)
  end
end

-- Make the best jobs of the lane ready, as many as its limit and its rate allow. Returns how many were added, and the
-- seconds until the rate lets the next one start.
local function rebalance(id, lane)
  local open, parked, active = lane_keys(id, lane)
  local extension, running = extension_of(id), call('SCARD', active)
  local limit = limits.limit_of(policy_value(extension, 'concurrency'), lane)
  local rate = pacing.rate_of(extension, lane)
  if rate then -- no more need a place than may start together
    limit = math.min(limit, running + rates.most_at_once(rates.interval_us(rate)))
  end
  local function pass(members) open_up(id, lane, members) end
  local function take_back(members) park(id, lane, members) end
  local free = limits.free_places(limit, running, call('ZCARD', open))
  local added = pacing.admit(free, parked, open, pass, take_back)
  if rate then
    return pacing.show(extension, pacing.bucket_of(extension, lane))
  end
  return added
end

-- Take back all jobs that have a place in a lane, before another policy distributes the places.
local function park_all(id)
  for _, lane in ipairs(call('SMEMBERS', W .. 'lanes:' .. id)) do
    park(id, lane, call('ZRANGE', (lane_keys(id, lane)), 0, -1, 'WITHSCORES'))
  end
end

-- Add a pending job to the ready jobs, or to its lane. `put` may defer the write.
local function enqueue(job, put)
  local score, member = queue_entry(job)
  if job[JOB.lane] then
    local _, parked = lane_keys(job[JOB.extension], job[JOB.lane])
    call('ZADD', parked, score, member)
    call('SADD', W .. 'lanes:' .. job[JOB.extension], job[JOB.lane])
  else
    put = put or call
    put('ZADD', W .. 'ready:' .. job[JOB.extension], score, member)
  end
end

local function dequeue(job)
  local _, member = queue_entry(job)
  call('ZREM', W .. 'ready:' .. job[JOB.extension], member)
  if job[JOB.lane] then
    local open, parked = lane_keys(job[JOB.extension], job[JOB.lane])
    call('ZREM', open, member)
    call('ZREM', parked, member)
    pacing.unpace(extension_of(job[JOB.extension]), job[JOB.lane], member)
    if call('EXISTS', open, parked) == 0 then
      call('SREM', W .. 'lanes:' .. job[JOB.extension], job[JOB.lane])
    end
  end
end
