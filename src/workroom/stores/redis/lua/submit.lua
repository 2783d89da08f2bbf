-- needs: ledger shares rooms
-- Jobs come in. The same submit, sent again, is the same job: by its id, or by the key that came with it.
local ID, ROOM, EXTENSION, HASH, USER, SIZE, PRIORITY, JOB_LANE, RETRY_OF, ONCE, ROUTE, KEY, BODY = 1, 2, 3, 4, 5, 6, 7,
  8, 9, 10, 11, 12, 13

local last_job
local entered, taken, forms = {}, {}, {}

local function key_of(new)
  return new[ROUTE] and W .. 'once:' .. table.concat({new[USER], new[ROUTE], new[KEY]}, SEP)
end

-- A job that is not here was forgotten, or the archive has it: then it came after all that was forgotten.
local function is_on_record(id, at)
  return call('EXISTS', record_key(id)) == 1 or at >= tonumber(call('HGET', W .. 'meta', 'forgotten') or 0)
end

-- What came with the same key within a day, if that job is still on record.
local function found_by_key(new)
  local key = key_of(new)
  if not key then
    return nil
  end
  local body, id, at = unpack(call('HMGET', key, 'body', 'job', 'at'))
  if body and tonumber(at) > NOW - DAY_US and is_on_record(id, tonumber(at)) then
    return body, id
  end
end

-- As a rule no job is known, so all are asked for together first.
local function is_any_known(jobs)
  for first = 1, #jobs, 1000 do
    local keys = {}
    for index = first, math.min(first + 999, #jobs) do
      append(keys, record_key(jobs[index][ID]))
      append(keys, W .. 'moved:' .. jobs[index][ID])
    end
    if call('EXISTS', unpack(keys)) > 0 then
      return true
    end
  end
  return false
end

local may_be_known = is_any_known(args.jobs)

local function is_known(id)
  return taken[id] or (may_be_known and call('EXISTS', record_key(id), W .. 'moved:' .. id) > 0)
end

local function known_as(new)
  if is_known(new[ID]) then
    return new[ID]
  end
  local replay = new[ONCE] and call('HGET', W .. 'replays', new[RETRY_OF])
  if replay then
    return replay
  end
  local body, id = found_by_key(new)
  return body == new[BODY] and id or nil
end

-- The extension may have left or changed since the values were checked against it.
local function refusal(new)
  local extension = extension_of(tostring(new[EXTENSION]))
  if not extension or not extension.active then
    return {'extension_not_found'}
  end
  if extension.schema_hash ~= new[HASH] then
    return {'schema_conflict'}
  end
  if found_by_key(new) then
    return {'idempotency_conflict'}
  end
  if not entered[new[ROOM]] then
    if is_deleted(new[ROOM]) then
      return {'room_not_found', new[ROOM]}
    end
    make_room(new[ROOM], new[USER])
    entered[new[ROOM]] = true
  end
  return false
end

local function next_sequence()
  last_job = (last_job or tonumber(call('HGET', W .. 'meta', 'job') or 0)) + 1
  return last_job
end

local function take(new)
  local id, ext = new[ID], tostring(new[EXTENSION])
  local rank = HIGHEST - new[PRIORITY]
  local sequence, tag = next_sequence(), next_tag(rank, new[USER])
  local job = {
    id, sequence, new[ROOM], new[USER], ext, new[HASH], new[SIZE], new[PRIORITY], NOW, new[RETRY_OF], new[JOB_LANE],
    'pending', 0, 0, 0, 0, false, false, false, false, false, false, rank, tag, NOW, false, false, false, false,
  }
  move(job, 'pending', false, job[AT.user])
  if new[RETRY_OF] then
    call('HSETNX', W .. 'replays', new[RETRY_OF], id)
  end
  later('ZADD', W .. 'jobs', job[AT.seq], id)
  later('ZADD', W .. 'jobs:room:' .. job[AT.room], job[AT.seq], id)
  later('ZADD', W .. 'jobs:user:' .. job[AT.user], job[AT.seq], id)
  local extension = extension_of(ext)
  extension.is_used = true
  forms[job[AT.user]] = forms[job[AT.user]] or {}
  forms[job[AT.user]][job[AT.room] .. SEP .. extension.category .. SEP .. extension.name] = id
  taken[id] = true
  if new[ROUTE] then
    local key = key_of(new)
    call('HSET', key, 'body', new[BODY], 'job', id, 'at', NOW)
    call('EXPIRE', key, 86400)
  end
  if rank > 0 then
    later('ZADD', W .. 'aging', NOW, age_name(job))
  end
  line_up(job, later)
  touch(ext, job[AT.lane])
  arrive(ext)
end

for _, new in ipairs(args.jobs) do
  local known_job = known_as(new)
  local refused = not known_job and refusal(new)
  append(step.answers, refused)
  if known_job then
    append(step.known, {new[ID], known_job})
  elseif not refused then
    take(new)
  end
end
save_shares()
for user, shown in pairs(forms) do
  for form, id in pairs(shown) do
    later('HSET', W .. 'forms:' .. user, form, id)
  end
end
if last_job then
  call('HSET', W .. 'meta', 'job', last_job)
end
for id, extension in pairs(known_extensions) do
  if extension and extension.is_used then
    call('HSET', W .. 'usage:' .. id, 'last', NOW)
  end
end
return answer_packed(close())
