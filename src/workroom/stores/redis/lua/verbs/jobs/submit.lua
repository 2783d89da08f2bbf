-- needs: following duplicates rooms
-- Submit jobs. A repeated submit is the same job, by its id or by its idempotency key.
local last_job
local joining = {} -- what few jobs need: groups, arrows and duplicates
local entered, taken, forms, joined, held_back = {}, {}, {}, {}, {}

function joining.joins(new)
  local group = joined[new[NEW_JOB.group]]
  return grouping.join(group.open, group.paused, group.cancelled, new[NEW_JOB.retry_of] and true or false)
end

local function once_key(user, route, key)
  return W .. 'once:' .. table.concat({user, route, key}, SEP)
end

local function key_of(new)
  return new[NEW_JOB.route] and once_key(new[NEW_JOB.user], new[NEW_JOB.route], new[NEW_JOB.key])
end

-- Under this key the job is remembered that a submit joined, which had this id and made no job of its own.
local function joined_key(new, id)
  return new[NEW_JOB.unique] and once_key(new[NEW_JOB.user], 'joined', id)
end

local function remember(key, body, id)
  call('HSET', key, 'body', body, 'job', id, 'at', NOW)
  call('EXPIRE', key, KEY_LIFETIME_US / 1000000)
end

-- A job that is not in Redis was deleted, or is archived if it came after the deleted ones.
local function is_on_record(id, at)
  return call('EXISTS', record_key(id)) == 1 or at >= tonumber(call('HGET', W .. 'meta', 'forgotten') or 0)
end

-- The job of this idempotency key, if it was submitted within a day and still exists.
local function found_by_key(key)
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
  local _, joined = found_by_key(joined_key(new, new[NEW_JOB.id]))
  if joined then
    return joined
  end
  local body, id = found_by_key(key_of(new))
  if body == new[NEW_JOB.body_hash] and id then
    _, joined = found_by_key(joined_key(new, id))
    return joined or id
  end
end

function joining.refused_by_group(new)
  local id = new[NEW_JOB.group]
  if not joined[id] then
    local room, open, paused, cancelled = unpack(
      call('HMGET', links.key(id), 'room', 'is_open', 'is_paused', 'is_cancelled'))
    joined[id] = {room = room, open = open == '1', paused = paused == '1', cancelled = cancelled == '1'}
  end
  local group = joined[id]
  if group.room ~= new[NEW_JOB.room] then
    return {'group_not_found'}
  end
  return joining.joins(new) == 'closed' and {'group_closed'}
end

-- What a job waits for must be in its room, and a group closed: else jobs could wait in a circle.
function joining.refused_by_arrows(new)
  for _, before in ipairs(new[NEW_JOB.postponed][POSTPONEMENT.after]) do
    if links.is_group(before) then
      local room, open = unpack(call('HMGET', links.key(before), 'room', 'is_open'))
      if room ~= new[NEW_JOB.room] then
        return {'group_not_found'}
      end
      if open == '1' then
        return {'group_open'}
      end
    else
      local job = find_job(before)
      if not job or job[JOB.room] ~= new[NEW_JOB.room] then
        return {'job_not_found'}
      end
    end
  end
  return false
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
  if found_by_key(key_of(new)) then
    return {'idempotency_conflict'}
  end
  if not entered[new[NEW_JOB.room]] then
    if is_missing(new[NEW_JOB.room]) then
      return {'room_not_found', new[NEW_JOB.room]}
    end
    entered[new[NEW_JOB.room]] = true
  end
  return new[NEW_JOB.group] and joining.refused_by_group(new) or new[NEW_JOB.postponed] and joining.refused_by_arrows(new)
    or false
end

local function next_sequence()
  last_job = (last_job or tonumber(call('HGET', W .. 'meta', 'job') or 0)) + 1
  return last_job
end

function joining.add_to_group(job)
  defer('ZADD', W .. 'jobs:group:' .. job[JOB.group], job[JOB.sequence], job[JOB.id])
  call('HDEL', links.key(job[JOB.group]), 'ended')
  if job[JOB.retry_of] then
    call('HINCRBY', links.key(job[JOB.group]), 'retried', 1)
  end
end

-- Note that the job waits for another one, or for a group. Returns 0 if that was named twice.
function joining.draw_arrow(before, job, on_end)
  if call('SADD', W .. 'blockers:' .. job[JOB.id], before) == 0 then
    return 0
  end
  if links.is_group(before) then
    call('HSET', links.key(before), 'is_followed', 1)
  else
    local first = find_job(before)
    first[JOB.is_followed] = true
    save_job(first)
  end
  call('RPUSH', W .. 'arrows:' .. job[JOB.id], before)
  call('RPUSH', W .. 'followers:' .. before, (on_end and '+' or '-') .. job[JOB.id])
  return 1
end

function joining.end_of(before)
  if links.is_group(before) then
    return links.end_of_group(before)
  end
  local status = find_job(before)[JOB.status]
  return TERMINAL[status] and status or nil
end

-- Postpone a new job. What it waits for exists, and may have ended.
function joining.begin(job, new, is_paused)
  local postponement = new[NEW_JOB.postponed] or {false, {}, false, false, false}
  local on_end, skipped, blockers = postponement[POSTPONEMENT.on_end], postponement[POSTPONEMENT.skip], 0
  for _, before in ipairs(postponement[POSTPONEMENT.after]) do
    local status = joining.end_of(before)
    local verdict = following.follow(status, on_end)
    if verdict == 'wait' then
      blockers = blockers + joining.draw_arrow(before, job, on_end)
    elseif verdict == 'skip' and not skipped then
      skipped = following.skip_reason(before, status, links.is_group(before))
    end
  end
  local record = waits.record(postponement[POSTPONEMENT.run_us], blockers, is_paused, false,
    postponement[POSTPONEMENT.has_refs])
  waits.add(job, record)
  if skipped then
    links.skip(job, skipped)
  elseif waits.enqueues_us(record) == NOW then
    waits.start(job, record)
  end
end

local function begin_held_back()
  local begun = held_back
  held_back = {}
  for _, each in ipairs(begun) do
    flush()
    joining.begin(unpack(each))
  end
end

local function take(new)
  local id, ext = new[NEW_JOB.id], tostring(new[NEW_JOB.extension])
  local rank = fair_share.rank(new[NEW_JOB.priority])
  local is_paused = new[NEW_JOB.group] and joining.joins(new) == 'postpone'
  local is_postponed = new[NEW_JOB.postponed] or is_paused
  local sequence, tag = next_sequence(), is_postponed and 0 or next_tag(rank, new[NEW_JOB.user])
  local job = blank_job()
  job[JOB.id], job[JOB.sequence], job[JOB.created_us], job[JOB.aged_us] = id, sequence, NOW, NOW
  job[JOB.room], job[JOB.user], job[JOB.extension] = new[NEW_JOB.room], new[NEW_JOB.user], ext
  job[JOB.schema_hash], job[JOB.size], job[JOB.priority] =
    new[NEW_JOB.schema_hash], new[NEW_JOB.size], new[NEW_JOB.priority]
  job[JOB.retry_of], job[JOB.parent], job[JOB.lane] = new[NEW_JOB.retry_of], new[NEW_JOB.parent], new[NEW_JOB.lane]
  job[JOB.has_secrets], job[JOB.unique] = new[NEW_JOB.has_secrets], new[NEW_JOB.unique]
  job[JOB.rank], job[JOB.tag], job[JOB.group] = rank, tag, new[NEW_JOB.group]
  job[JOB.version], job[JOB.attempt], job[JOB.tries], job[JOB.losses] = 0, 0, 0, 0
  record_transition(job, 'pending', false, job[JOB.user], new[NEW_JOB.parent] and 'submitted by job ' .. new[NEW_JOB.parent])
  if new[NEW_JOB.retry_of] then
    call('HSETNX', W .. 'replays', new[NEW_JOB.retry_of], id)
  end
  if new[NEW_JOB.parent] then
    call('ZADD', W .. 'children:' .. new[NEW_JOB.parent], job[JOB.sequence], id)
  end
  defer('ZADD', W .. 'jobs', job[JOB.sequence], id)
  defer('ZADD', W .. 'jobs:room:' .. job[JOB.room], job[JOB.sequence], id)
  defer('ZADD', W .. 'jobs:user:' .. job[JOB.user], job[JOB.sequence], id)
  if job[JOB.group] then
    joining.add_to_group(job)
  end
  local extension = extension_of(ext)
  extension.is_used = true
  if not new[NEW_JOB.parent] then -- only a person's values fill the form
    forms[job[JOB.user]] = forms[job[JOB.user]] or {}
    forms[job[JOB.user]][job[JOB.room] .. SEP .. extension.category .. SEP .. extension.name] = id
  end
  taken[id] = true
  if new[NEW_JOB.route] then
    remember(key_of(new), new[NEW_JOB.body_hash], id)
  end
  if job[JOB.unique] then
    duplicates.keep(job)
  end
  if is_postponed then
    return append(held_back, {job, new, is_paused or false})
  end
  if rank > 0 then
    defer('ZADD', W .. 'aging', NOW, age_name(job))
  end
  enqueue(job, defer)
  recheck_lane(ext, job[JOB.lane])
  arrive(ext)
end

-- The job that a submit joins, or why it is refused, if an earlier job has the same unique key.
function joining.compare(new)
  local id, verdict = duplicates.compare(tostring(new[NEW_JOB.extension]), new[NEW_JOB.room], new[NEW_JOB.unique])
  if verdict == 'join' then
    remember(joined_key(new, new[NEW_JOB.id]), '', id)
    if new[NEW_JOB.route] then
      remember(key_of(new), new[NEW_JOB.body_hash], new[NEW_JOB.id])
    end
    return id, false
  elseif verdict == 'replace' then
    begin_held_back() -- it may be of this batch
    flush()
    local waiting_job = find_job(id)
    end_job(waiting_job, 'cancelled', false, new[NEW_JOB.user], 'replaced by job ' .. new[NEW_JOB.id])
    recheck_lane(waiting_job[JOB.extension], waiting_job[JOB.lane])
  end
  return nil, verdict == 'refuse' and {'duplicate_job', id}
end

for _, new in ipairs(args.jobs) do
  local known_job = known_as(new)
  local refused = not known_job and refusal(new)
  if new[NEW_JOB.unique] and not known_job and not refused then
    known_job, refused = joining.compare(new)
  end
  append(step.answers, refused)
  if known_job then
    append(step.known, {new[NEW_JOB.id], known_job})
  elseif not refused then
    take(new)
  end
end
begin_held_back()
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
