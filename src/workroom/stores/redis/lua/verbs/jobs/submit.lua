-- needs: step_builder shares rooms
-- Submit jobs. A repeated submit is the same job, by its id or by its idempotency key.
local last_job
local entered, taken, forms = {}, {}, {}

local function key_of(new)
  local route = new[NEW_JOB.route]
  return route and W .. 'once:' .. table.concat({new[NEW_JOB.user], route, new[NEW_JOB.key]}, SEP)
end

-- A job that is not in Redis was deleted, or is archived if it came after the deleted ones.
local function is_on_record(id, at)
  return call('EXISTS', record_key(id)) == 1 or at >= tonumber(call('HGET', W .. 'meta', 'forgotten') or 0)
end

-- The job of this idempotency key, if it was submitted within a day and still exists.
local function found_by_key(new)
  local key = key_of(new)
  if not key then
    return nil
  end
  local body, id, at = unpack(call('HMGET', key, 'body', 'job', 'at'))
  if body and tonumber(at) > NOW - KEY_LIFETIME_US and is_on_record(id, tonumber(at)) then
    return body, id
  end
end

-- Usually no job is known, so all are checked together first.
local function is_any_known(jobs)
  for first = 1, #jobs, 1000 do
    local keys = {}
    for index = first, math.min(first + 999, #jobs) do
      append(keys, record_key(jobs[index][NEW_JOB.id]))
      append(keys, W .. 'moved:' .. jobs[index][NEW_JOB.id])
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
  if is_known(new[NEW_JOB.id]) then
    return new[NEW_JOB.id]
  end
  local replay = new[NEW_JOB.once] and call('HGET', W .. 'replays', new[NEW_JOB.retry_of])
  if replay then
    return replay
  end
  local body, id = found_by_key(new)
  return body == new[NEW_JOB.body_hash] and id or nil
end

-- The extension may have changed since the values were validated.
local function refusal(new)
  local extension = extension_of(tostring(new[NEW_JOB.extension]))
  if not extension or not extension.active then
    return {'extension_not_found'}
  end
  if extension.schema_hash ~= new[NEW_JOB.schema_hash] then
    return {'schema_conflict'}
  end
  if found_by_key(new) then
    return {'idempotency_conflict'}
  end
  if not entered[new[NEW_JOB.room]] then
    if is_missing(new[NEW_JOB.room]) then
      return {'room_not_found', new[NEW_JOB.room]}
    end
    entered[new[NEW_JOB.room]] = true
  end
  return false
end

local function next_sequence()
  last_job = (last_job or tonumber(call('HGET', W .. 'meta', 'job') or 0)) + 1
  return last_job
end

local function take(new)
  local id, ext = new[NEW_JOB.id], tostring(new[NEW_JOB.extension])
  local rank = fair_share.rank(new[NEW_JOB.priority])
  local sequence, tag = next_sequence(), next_tag(rank, new[NEW_JOB.user])
  local job = blank_job()
  job[JOB.id], job[JOB.sequence], job[JOB.created_us], job[JOB.aged_us] = id, sequence, NOW, NOW
  job[JOB.room], job[JOB.user], job[JOB.extension] = new[NEW_JOB.room], new[NEW_JOB.user], ext
  job[JOB.schema_hash], job[JOB.size], job[JOB.priority] =
    new[NEW_JOB.schema_hash], new[NEW_JOB.size], new[NEW_JOB.priority]
  job[JOB.retry_of], job[JOB.parent], job[JOB.lane] = new[NEW_JOB.retry_of], new[NEW_JOB.parent], new[NEW_JOB.lane]
  job[JOB.has_secrets], job[JOB.rank], job[JOB.tag] = new[NEW_JOB.has_secrets], rank, tag
  job[JOB.version], job[JOB.attempt], job[JOB.tries], job[JOB.losses] = 0, 0, 0, 0
  record_transition(job, 'pending', false, job[JOB.user], new[NEW_JOB.parent] and 'submitted by job ' .. new[NEW_JOB.parent])
  if new[NEW_JOB.retry_of] then
    call('HSETNX', W .. 'replays', new[NEW_JOB.retry_of], id)
  end
  defer('ZADD', W .. 'jobs', job[JOB.sequence], id)
  defer('ZADD', W .. 'jobs:room:' .. job[JOB.room], job[JOB.sequence], id)
  defer('ZADD', W .. 'jobs:user:' .. job[JOB.user], job[JOB.sequence], id)
  local extension = extension_of(ext)
  extension.is_used = true
  if not new[NEW_JOB.parent] then -- only a person's values fill the form
    forms[job[JOB.user]] = forms[job[JOB.user]] or {}
    forms[job[JOB.user]][job[JOB.room] .. SEP .. extension.category .. SEP .. extension.name] = id
  end
  taken[id] = true
  if new[NEW_JOB.route] then
    local key = key_of(new)
    call('HSET', key, 'body', new[NEW_JOB.body_hash], 'job', id, 'at', NOW)
    call('EXPIRE', key, KEY_LIFETIME_US / 1000000)
  end
  if rank > 0 then
    defer('ZADD', W .. 'aging', NOW, age_name(job))
  end
  enqueue(job, defer)
  recheck_lane(ext, job[JOB.lane])
  arrive(ext)
end

for _, new in ipairs(args.jobs) do
  local known_job = known_as(new)
  local refused = not known_job and refusal(new)
  append(step.answers, refused)
  if known_job then
    append(step.known, {new[NEW_JOB.id], known_job})
  elseif not refused then
    take(new)
  end
end
save_shares()
for user, shown in pairs(forms) do
  for form, id in pairs(shown) do
    defer('HSET', W .. 'forms:' .. user, form, id)
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
return reply_packed(build_step())
