-- needs: extensions jobs rules/limits
-- Keeps the ready jobs of each lane within its limit.
local function lane_keys(id, lane)
  local name = id .. ':' .. lane
  return W .. 'open:' .. name, W .. 'parked:' .. name, W .. 'active:' .. name
end

local function is_before(one, other)
  local first, second = tonumber(one[2]), tonumber(other[2])
  return first < second or (first == second and one[1] < other[1])
end

local function open_up(id, lane, members)
  local open, parked = lane_keys(id, lane)
  for index = 1, #members, 2 do
    local member, score = members[index], members[index + 1]
    call('ZREM', parked, member)
    call('ZADD', open, score, member)
    call('ZADD', W .. 'ready:' .. id, score, member)
  end
end

local function park(id, lane, members)
  local open, parked = lane_keys(id, lane)
  for index = 1, #members, 2 do
    local member, score = members[index], members[index + 1]
    call('ZREM', open, member)
    call('ZREM', W .. 'ready:' .. id, member)
    call('ZADD', parked, score, member)
  end
end

-- Make the best jobs of the lane ready, as many as the limit allows. Returns how many were added.
local function rebalance(id, lane)
  local open, parked, active = lane_keys(id, lane)
  local limit = limits.limit_of(policy_value(extension_of(id), 'concurrency'), lane)
  local free = limits.free_places(limit, call('SCARD', active), call('ZCARD', open))
  local added = {}
  if free > 0 then
    added = call('ZRANGE', parked, 0, free - 1, 'WITHSCORES')
    open_up(id, lane, added)
  elseif free < 0 then
    park(id, lane, call('ZREVRANGE', open, 0, -free - 1, 'WITHSCORES'))
  end
  while true do -- a better job that came later replaces the worst ready one
    local best = call('ZRANGE', parked, 0, 0, 'WITHSCORES')
    local worst = call('ZREVRANGE', open, 0, 0, 'WITHSCORES')
    if not best[1] or not worst[1] or not is_before(best, worst) then
      break
    end
    open_up(id, lane, best)
    park(id, lane, worst)
  end
  return #added / 2
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
    if call('EXISTS', open, parked) == 0 then
      call('SREM', W .. 'lanes:' .. job[JOB.extension], job[JOB.lane])
    end
  end
end
