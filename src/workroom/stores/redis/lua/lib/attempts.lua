-- needs: ledger breaker
-- Attempts that take up a worker, until it confirms the end or its lease runs out.
local TOKEN, NUMBER, STARTED, EXT, TIMEOUT, LANE = 1, 2, 3, 4, 5, 6

local function name_of(id, attempt)
  return id .. ':' .. attempt
end

local function full_name(worker, id, attempt)
  return worker .. SEP .. id .. SEP .. attempt
end

local function save_attempt(worker, id, attempt, record)
  call('HSET', W .. 'held:' .. worker, name_of(id, attempt), cmsgpack.pack(record))
end

local function find_attempt(worker, id, attempt)
  local packed = call('HGET', W .. 'held:' .. worker, name_of(id, attempt))
  return packed and cmsgpack.unpack(packed)
end

-- All that takes up a worker, in the order in which it was handed out.
local function held_by(worker)
  local found = {}
  local values = call('HGETALL', W .. 'held:' .. worker)
  for index = 1, #values, 2 do
    local id, attempt = values[index]:match('^(.*):(%d+)$')
    append(found, {id = id, attempt = tonumber(attempt), record = cmsgpack.unpack(values[index + 1])})
  end
  table.sort(found, function(one, other) return one.record[NUMBER] < other.record[NUMBER] end)
  return found
end

-- Does the job still wait for the outcome of this attempt?
local function is_awaited(job, record)
  return job.token == record[TOKEN] and not TERMINAL[job.status]
end

local function release(worker, id, attempt, record)
  local name, full = name_of(id, attempt), full_name(worker, id, attempt)
  call('HDEL', W .. 'held:' .. worker, name)
  later('SREM', W .. 'attempts:' .. record[EXT], name)
  if record[STARTED] == 0 then
    later('ZREM', W .. 'unstarted', full)
  elseif record[TIMEOUT] then
    later('ZREM', W .. 'limited', full)
  end
  if record[LANE] then
    local _, _, active = lane_keys(record[EXT], record[LANE])
    call('SREM', active, name)
    touch(record[EXT], record[LANE])
  end
  append(step.released, {worker, id, attempt})
end
