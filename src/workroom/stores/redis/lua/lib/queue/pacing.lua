-- needs: extensions jobs rules/rates
-- Paces jobs whose extension has a rate. Those that have a place in their lane are shown as many as may start now, and
-- are paced until then. `rates` has the time of the next start of each bucket: an extension, or one key of it.
local pacing = {}

function pacing.bucket_of(extension, lane)
  return policy_value(extension, 'rate_key') and lane or ''
end

-- The rate of a key: its own, or the one of all keys that have none. Nil if there is none.
function pacing.rate_of(extension, bucket)
  local own = policy_value(extension, 'rates')
  return own and own[bucket] or policy_value(extension, 'rate')
end

function pacing.pace_keys(id, bucket)
  local name = id .. ':' .. bucket
  return W .. 'paced:' .. name, W .. 'shown:' .. name
end

function pacing.next_start(id, bucket)
  return tonumber(call('ZSCORE', W .. 'rates', id .. SEP .. bucket))
end

function pacing.save_next_start(id, bucket, next_us)
  call('ZADD', W .. 'rates', next_us, id .. SEP .. bucket)
end

local function is_before(one, other)
  local first, second = tonumber(one[2]), tonumber(other[2])
  return first < second or (first == second and one[1] < other[1])
end

-- Make room for the best jobs: `pass` moves them past a limit, `take_back` moves the worst ones back, and the zsets
-- `before` and `behind` have those on both sides. A better job that came later replaces the worst. Returns how many passed.
function pacing.admit(room, before, behind, pass, take_back)
  local passed = {}
  if room > 0 then
    passed = call('ZRANGE', before, 0, room - 1, 'WITHSCORES')
    pass(passed)
  elseif room < 0 then
    take_back(call('ZREVRANGE', behind, 0, -room - 1, 'WITHSCORES'))
  end
  while true do
    local best = call('ZRANGE', before, 0, 0, 'WITHSCORES')
    local worst = call('ZREVRANGE', behind, 0, 0, 'WITHSCORES')
    if not best[1] or not worst[1] or not is_before(best, worst) then
      return #passed / 2
    end
    pass(best)
    take_back(worst)
  end
end

-- Make as many jobs of a bucket ready as may start now. Returns how many were added, and the seconds until the next.
function pacing.show(extension, bucket)
  local id, interval = extension.id, rates.interval_us(pacing.rate_of(extension, bucket))
  local paced, shown = pacing.pace_keys(id, bucket)
  local next_us = pacing.next_start(id, bucket)
  local free = rates.free_starts(next_us, NOW, interval)
  local function pass(members)
    for index = 1, #members, 2 do
      call('ZREM', paced, members[index])
      call('ZADD', shown, members[index + 1], members[index])
      call('ZADD', W .. 'ready:' .. id, members[index + 1], members[index])
    end
  end
  local function take_back(members)
    for index = 1, #members, 2 do
      call('ZREM', shown, members[index])
      call('ZREM', W .. 'ready:' .. id, members[index])
      call('ZADD', paced, members[index + 1], members[index])
    end
  end
  local added = pacing.admit(free - call('ZCARD', shown), paced, shown, pass, take_back)
  if free > 0 or call('EXISTS', paced) == 0 then
    return added
  end
  return added, (rates.opens_us(next_us, NOW, interval) - NOW) / 1000000
end

-- Remove a job that leaves its place.
function pacing.unpace(extension, lane, member)
  if pacing.rate_of(extension, lane) then
    local paced, shown = pacing.pace_keys(extension.id, pacing.bucket_of(extension, lane))
    call('ZREM', paced, member)
    call('ZREM', shown, member)
  end
end

-- Count a job that is handed out.
function pacing.take_start(extension, lane)
  local bucket, interval = pacing.bucket_of(extension, lane), rates.interval_us(pacing.rate_of(extension, lane))
  pacing.save_next_start(extension.id, bucket, rates.after_start(pacing.next_start(extension.id, bucket), NOW, interval))
end

-- The job was handed out and never began.
function pacing.return_start(job)
  local extension = job[JOB.lane] and extension_of(job[JOB.extension])
  local rate = extension and pacing.rate_of(extension, job[JOB.lane])
  local next_us = rate and pacing.next_start(extension.id, pacing.bucket_of(extension, job[JOB.lane]))
  if next_us and job[JOB.assigned_us] then
    local after = rates.after_return(next_us, job[JOB.assigned_us], rates.interval_us(rate))
    pacing.save_next_start(extension.id, pacing.bucket_of(extension, job[JOB.lane]), after)
  end
end

-- Call a function with each bucket and the time of its next start.
function pacing.each_rate(act)
  local members = call('ZRANGE', W .. 'rates', 0, -1, 'WITHSCORES')
  for index = 1, #members, 2 do
    local id, bucket = members[index]:match('^(.-)' .. SEP .. '(.*)$')
    act(id, bucket, tonumber(members[index + 1]))
  end
end
