-- needs: step_builder breaker rules/loss
-- Attempts that occupy a worker until it confirms the end or its lease expires.
local function name_of(id, attempt)
  return id .. ':' .. attempt
end

local function full_name(worker, id, attempt)
  return worker .. SEP .. id .. SEP .. attempt
end

local function save_attempt(worker, id, attempt, record)
  defer('HSET', W .. 'held:' .. worker, name_of(id, attempt), cmsgpack.pack(record))
end

local known_attempts = {} -- false for those that occupy no worker

-- Read together what a step then needs one by one.
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

-- All attempts that occupy a worker, in the order of assignment.
local function held_by(worker)
  flush()
  local found = {}
  local values = call('HGETALL', W .. 'held:' .. worker)
  for index = 1, #values, 2 do
    local id, attempt = values[index]:match('^(.*):(%d+)$')
    append(found, {id = id, attempt = tonumber(attempt), record = cmsgpack.unpack(values[index + 1])})
  end
  table.sort(found, function(one, other) return one.record[ATTEMPT.number] < other.record[ATTEMPT.number] end)
  return found
end

-- An attempt as it is sent to its worker.
local function assignment(worker, job, attempt, record)
  local extension = extension_of(record[ATTEMPT.extension])
  return {
    job[JOB.id], attempt, record[ATTEMPT.token], record[ATTEMPT.number], worker,
    tonumber(record[ATTEMPT.extension]), extension.where, job[JOB.room],
    job[JOB.user], job[JOB.size], policy_value(extension, 'timeout') or false,
  }
end

-- Whether the job still waits for the outcome of this attempt.
local function is_awaited(job, record)
  return loss.is_awaited(job[JOB.status], job[JOB.token] == record[ATTEMPT.token])
end

local function release(worker, id, attempt, record)
  local name, full = name_of(id, attempt), full_name(worker, id, attempt)
  defer('HDEL', W .. 'held:' .. worker, name)
  known_attempts[name] = false
  defer('SREM', W .. 'attempts:' .. record[ATTEMPT.extension], name)
  if record[ATTEMPT.waits] then
    call('SREM', W .. 'suspended:' .. worker, name)
  end
  if record[ATTEMPT.started] == 0 then
    defer('ZREM', W .. 'unstarted', full)
  elseif record[ATTEMPT.timeout] then
    defer('ZREM', W .. 'limited', full)
  end
  if record[ATTEMPT.lane] then
    local _, _, active = lane_keys(record[ATTEMPT.extension], record[ATTEMPT.lane])
    call('SREM', active, name)
    recheck_lane(record[ATTEMPT.extension], record[ATTEMPT.lane])
  end
  append(step.released, {worker, id, attempt})
end
