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
  later('HSET', W .. 'held:' .. worker, name_of(id, attempt), cmsgpack.pack(record))
end

local known_attempts = {} -- false for those that take up nobody

-- Those that a step asks for one by one are read together before.
local function read_attempts(worker, names)
  for first = 1, #names, 1000 do
    local last = math.min(first + 999, #names)
    local found = call('HMGET', W .. 'held:' .. worker, unpack(names, first, last))
    for index = first, last do
      local packed = found[index - first + 1]
      known_attempts[names[index]] = packed and cmsgpack.unpack(packed)
    end
  end
end

local function find_attempt(worker, id, attempt)
  local name = name_of(id, attempt)
  if known_attempts[name] == nil then
    read_attempts(worker, {name})
  end
  return known_attempts[name]
end

-- All that takes up a worker, in the order in which it was handed out.
local function held_by(worker)
  flush()
  local found = {}
  local values = call('HGETALL', W .. 'held:' .. worker)
  for index = 1, #values, 2 do
    local id, attempt = values[index]:match('^(.*):(%d+)$')
    append(found, {id = id, attempt = tonumber(attempt), record = cmsgpack.unpack(values[index + 1])})
  end
  table.sort(found, function(one, other) return one.record[NUMBER] < other.record[NUMBER] end)
  return found
end

-- An attempt as it is handed to its worker.
local function assignment(worker, job, attempt, record)
  local extension = extension_of(record[EXT])
  return {
    job[AT.id], attempt, record[TOKEN], record[NUMBER], worker, tonumber(record[EXT]), extension.where, job[AT.room],
    job[AT.user], job[AT.size], policy_value(extension, 'timeout') or false,
  }
end

-- Does the job still wait for the outcome of this attempt?
local function is_awaited(job, record)
  return job[AT.token] == record[TOKEN] and not TERMINAL[job[AT.status]]
end

local function release(worker, id, attempt, record)
  local name, full = name_of(id, attempt), full_name(worker, id, attempt)
  later('HDEL', W .. 'held:' .. worker, name)
  known_attempts[name] = false
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
