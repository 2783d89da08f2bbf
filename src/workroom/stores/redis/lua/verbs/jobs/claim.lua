-- needs: attempts
-- Assign jobs to workers.
local assignments, given, exhausted, workers = {}, {}, {}, {}

local function worker_of(seat)
  local id = seat[SEAT.worker]
  if not workers[id] then
    local session, online, draining, number = unpack(
      call('HMGET', W .. 'worker:' .. id, 'session', 'online', 'draining', 'number'))
    workers[id] = {
      number = tonumber(number or 0),
      session = online == '1' and draining ~= '1' and tonumber(session),
      offers = call('SMEMBERS', W .. 'offers:' .. id),
    }
  end
  return workers[id]
end

local function add_without_lane(found, members, jobs)
  for index = 1, #members, 2 do
    if members[index]:sub(13, 13) == '-' and #found < jobs * 2 then
      append(found, members[index])
      append(found, members[index + 1])
    end
  end
end

-- Jobs that are fetched ahead never hold a place in a lane. Most have none, so as many as are wanted are read first,
-- then as many again, up to MOST_AHEAD.
local function without_lane(ext, jobs)
  local found, looked = {}, 0
  repeat
    local last = math.min(looked + jobs, MOST_AHEAD) - 1
    local members = call('ZRANGE', W .. 'ready:' .. ext, looked, last, 'WITHSCORES')
    add_without_lane(found, members, jobs)
    looked = last + 1
  until #found == jobs * 2 or looked == MOST_AHEAD or #members == 0
  return found
end

-- The best job of a queue that has not failed before, as member and score.
local function first_unfailed(key)
  local looked, members = 0
  repeat
    members = call('ZRANGE', key, looked, looked + 99, 'WITHSCORES')
    for index = 1, #members, 2 do
      if not find_job(id_of(members[index]))[JOB.has_failed] then
        return {members[index], members[index + 1]}
      end
    end
    looked = looked + 100
  until #members == 0
end

-- Whether a job of a lane may be handed out: with a rate, not all that have a place may.
local function is_any_ready(ext, open)
  for _, member in ipairs(call('ZRANGE', open, 0, -1)) do
    if call('ZSCORE', W .. 'ready:' .. ext, member) then
      return true
    end
  end
  return false
end

-- The best job that has not failed before: among those ready, else behind one that has in its lane, else the best.
local function trial_of(ext)
  local best = first_unfailed(W .. 'ready:' .. ext)
  if best then
    return best
  end
  for _, lane in ipairs(call('SMEMBERS', W .. 'lanes:' .. ext)) do
    local open, parked = lane_keys(ext, lane)
    for _, queue in ipairs(is_any_ready(ext, open) and {open, parked} or {}) do
      local found = first_unfailed(queue)
      if found and (not best or is_before(found, best)) then
        best = found
      end
    end
  end
  return best or call('ZRANGE', W .. 'ready:' .. ext, 0, 0, 'WITHSCORES')
end

-- The best jobs of an extension for a seat; one for a trial if its breaker is open.
local function queue_of(ext, seat)
  local extension = extension_of(ext)
  if extension.paused or not breaker.admits(extension.opened, extension.trial, NOW) then
    return {}
  end
  flush_key('ZREM', W .. 'ready:' .. ext)
  if not seat[SEAT.only] then
    return extension.opened and trial_of(ext)
      or call('ZRANGE', W .. 'ready:' .. ext, 0, seat[SEAT.jobs] - 1, 'WITHSCORES')
  end
  if not seat[SEAT.only][ext] or extension.opened then
    return {}
  end
  return without_lane(ext, seat[SEAT.jobs])
end

-- The newest child of a job that may be handed out, as member of its queue, and its extension.
local function child_of(parent, offered)
  local looked, ids = 0
  repeat
    ids = call('ZREVRANGE', W .. 'children:' .. parent, looked, looked + 99)
    for _, id in ipairs(ids) do
      local job = find_job(id)
      if job and job[JOB.status] == 'pending' and offered[job[JOB.extension]] then
        local ext, extension = job[JOB.extension], extension_of(job[JOB.extension])
        local _, member = queue_entry(job)
        local is_open = not extension.paused and breaker.admits(extension.opened, extension.trial, NOW)
        if is_open and call('ZSCORE', W .. 'ready:' .. ext, member) then
          return member, ext
        end
      end
    end
    looked = looked + 100
  until #ids == 0
end

-- At most one: claims of children are rare.
local function next_child(seat)
  flush()
  local offered = {}
  for _, ext in ipairs(workers[seat[SEAT.worker]].offers) do
    offered[ext] = true
  end
  for _, parent in ipairs(seat[SEAT.parents]) do
    local member, ext = child_of(parent, offered)
    if member then
      return {member}, {ext}
    end
  end
  return {}, {}
end

local function go_to(queue, at)
  queue.at, queue.head = at, queue[at] and {queue[at], queue[at + 1]}
end

local function best_of(queues)
  local best
  for _, queue in ipairs(queues) do
    if queue.head and (not best or is_before(queue.head, best.head)) then
      best = queue
    end
  end
  return best
end

local function assign(ext, member, seat)
  local worker, job = workers[seat[SEAT.worker]], find_job(id_of(member))
  local extension = extension_of(ext)
  worker.number = worker.number + 1
  job[JOB.attempt] = job[JOB.attempt] + 1
  local token = redis.sha1hex(args.seed .. seat[SEAT.worker] .. SEP .. worker.number)
  token = job[JOB.has_secrets] and MASKED_MARK .. token or token
  if job[JOB.lane] then
    dequeue(job)
  else
    defer('ZREM', W .. 'ready:' .. ext, member)
  end
  defer('ZREM', W .. 'aging', age_name(job))
  job[JOB.token], job[JOB.worker], job[JOB.assigned_us], job[JOB.nonce] = token, seat[SEAT.worker], NOW, false
  record_transition(job, 'assigned', seat[SEAT.worker], 'dispatcher')
  local record = blank_attempt()
  record[ATTEMPT.token], record[ATTEMPT.number], record[ATTEMPT.started] = token, worker.number, 0
  record[ATTEMPT.extension], record[ATTEMPT.lane] = ext, job[JOB.lane]
  save_attempt(seat[SEAT.worker], job[JOB.id], job[JOB.attempt], record)
  defer('SADD', W .. 'attempts:' .. ext, name_of(job[JOB.id], job[JOB.attempt]))
  defer('ZADD', W .. 'unstarted', 0, full_name(seat[SEAT.worker], job[JOB.id], job[JOB.attempt]))
  defer('ZADD', W .. 'jobs:worker:' .. seat[SEAT.worker], job[JOB.sequence], job[JOB.id])
  if job[JOB.lane] then
    local _, _, active = lane_keys(ext, job[JOB.lane])
    call('SADD', active, name_of(job[JOB.id], job[JOB.attempt]))
    if pacing.rate_of(extension, job[JOB.lane]) then
      pacing.take_start(extension, job[JOB.lane])
      recheck_lane(ext, job[JOB.lane])
    end
  end
  if extension.opened then
    save_breaker(extension, breaker.trying(extension.ends, extension.opened, extension.trial, token))
    recheck_lane(ext, job[JOB.lane]) -- it may have overtaken one that failed before
  end
  append(assignments, assignment(seat[SEAT.worker], job, job[JOB.attempt], record))
end

local function is_behind_others(seat)
  for ext in pairs(given[seat[SEAT.worker]] or {}) do
    if seat[SEAT.only] and not seat[SEAT.only][ext] then
      return true
    end
  end
  return false
end

-- The queues of a seat.
local function queues_of(seat)
  local queues = {}
  for _, ext in ipairs(workers[seat[SEAT.worker]].offers) do
    local queue = queue_of(ext, seat)
    if queue[1] then
      queue.ext = ext
      go_to(queue, 1)
      append(queues, queue)
    end
  end
  return queues
end

-- The next jobs for a seat, as members of their queues, and their extensions.
local function next_jobs(seat)
  if seat[SEAT.parents][1] then
    return next_child(seat)
  end
  local queues, members, exts = queues_of(seat), {}, {}
  while #members < seat[SEAT.jobs] do
    local best = best_of(queues)
    if not best then
      break
    end
    append(members, best.head[1])
    append(exts, best.ext)
    go_to(best, best.at + 2)
  end
  return members, exts
end

local function fill_seat(seat)
  local members, exts = next_jobs(seat)
  local ids = {}
  for index, member in ipairs(members) do
    ids[index] = id_of(member)
  end
  read_jobs(ids)
  given[seat[SEAT.worker]] = given[seat[SEAT.worker]] or {}
  for index, member in ipairs(members) do
    given[seat[SEAT.worker]][exts[index]] = true
    assign(exts[index], member, seat)
  end
  if #members < seat[SEAT.jobs] and not seat[SEAT.only] then
    exhausted[seat[SEAT.worker]] = true
  end
end

for _, seat in ipairs(args.seats) do
  if seat[SEAT.only] then
    local only = {}
    for _, ext in ipairs(seat[SEAT.only]) do
      only[tostring(ext)] = true
    end
    seat[SEAT.only] = only
  end
  local is_seated = worker_of(seat).session == seat[SEAT.session]
  if is_seated and not exhausted[seat[SEAT.worker]] and not is_behind_others(seat) then
    fill_seat(seat)
  end
end
for id, worker in pairs(workers) do
  if given[id] and next(given[id]) then
    call('HSET', W .. 'worker:' .. id, 'number', worker.number)
  end
end
return reply_packed(pack_with({assignments}, build_step()))
