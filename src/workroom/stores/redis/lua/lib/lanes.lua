-- needs: extensions jobs
-- Keeps each lane's jobs that may be handed out within what its limit leaves room for.
local function lane_keys(id, lane)
  local name = id .. ':' .. lane
  return W .. 'open:' .. name, W .. 'parked:' .. name, W .. 'active:' .. name
end

local function limit_of(id, lane)
  local concurrency = policy_value(extension_of(id), 'concurrency')
  if not concurrency then
    return 1000000000
  end
  if concurrency.key == BY_ACTOR then
    return tonumber(lane:match('#(%d+)$')) or concurrency.default
  end
  return concurrency.limits[lane] or concurrency.default
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

-- Let the best waiting jobs of the lane be handed out, as many as fit. Says how many more may be.
local function rebalance(id, lane)
  local open, parked, active = lane_keys(id, lane)
  local free = limit_of(id, lane) - call('SCARD', active) - call('ZCARD', open)
  local added = {}
  if free > 0 then
    added = call('ZRANGE', parked, 0, free - 1, 'WITHSCORES')
    open_up(id, lane, added)
  elseif free < 0 then
    park(id, lane, call('ZREVRANGE', open, 0, -free - 1, 'WITHSCORES'))
  end
  while true do -- a better job that came later takes the place of the worst that may be handed out
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

-- A pending job stands where it may be handed out, or in its lane until there is room. `put` may put it there later.
local function line_up(job, put)
  local score, member = place(job)
  if job[AT.lane] then
    local _, parked = lane_keys(job[AT.ext], job[AT.lane])
    call('ZADD', parked, score, member)
    call('SADD', W .. 'lanes:' .. job[AT.ext], job[AT.lane])
  else
    put = put or call
    put('ZADD', W .. 'ready:' .. job[AT.ext], score, member)
  end
end

local function step_out(job)
  local _, member = place(job)
  call('ZREM', W .. 'ready:' .. job[AT.ext], member)
  if job[AT.lane] then
    local open, parked = lane_keys(job[AT.ext], job[AT.lane])
    call('ZREM', open, member)
    call('ZREM', parked, member)
    if call('EXISTS', open, parked) == 0 then
      call('SREM', W .. 'lanes:' .. job[AT.ext], job[AT.lane])
    end
  end
end
