-- needs: attempts
-- Jobs go out to workers.
local WORKER, SESSION, JOBS, ONLY = 1, 2, 3, 4
local AHEAD = 512 -- what is fetched ahead never holds a lane's place; so far it is looked for
local assignments, served, given, exhausted, workers = {}, {}, {}, {}, {}

local function worker_of(seat)
  local id = seat[WORKER]
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

-- Most have none, so that as many as are wanted are looked at first, and then as many again.
local function without_lane(ext, jobs)
  local found, looked = {}, 0
  repeat
    local last = math.min(looked + jobs, AHEAD) - 1
    local members = call('ZRANGE', W .. 'ready:' .. ext, looked, last, 'WITHSCORES')
    add_without_lane(found, members, jobs)
    looked = last + 1
  until #found == jobs * 2 or looked == AHEAD or #members == 0
  return found
end

-- The best jobs of an extension that may be handed to a seat; of one whose breaker is open, one for a trial.
local function queue_of(ext, seat)
  local extension = extension_of(ext)
  if extension.paused or not admits(extension) then
    return {}
  end
  write_now('ZREM', W .. 'ready:' .. ext)
  if not seat[ONLY] then
    return call('ZRANGE', W .. 'ready:' .. ext, 0, (extension.opened and 1 or seat[JOBS]) - 1, 'WITHSCORES')
  end
  if not seat[ONLY][ext] or extension.opened then
    return {}
  end
  return without_lane(ext, seat[JOBS])
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
  local worker, job = workers[seat[WORKER]], find_job(id_of(member))
  local extension = extension_of(ext)
  worker.number = worker.number + 1
  job[AT.attempt] = job[AT.attempt] + 1
  local token = redis.sha1hex(args.seed .. seat[WORKER] .. SEP .. worker.number)
  if job[AT.lane] then
    step_out(job)
  else
    later('ZREM', W .. 'ready:' .. ext, member)
  end
  later('ZREM', W .. 'aging', age_name(job))
  job[AT.token], job[AT.worker], job[AT.assigned], job[AT.nonce] = token, seat[WORKER], NOW, false
  move(job, 'assigned', seat[WORKER], 'dispatcher')
  local record = {token, worker.number, 0, ext, false, job[AT.lane]}
  save_attempt(seat[WORKER], job[AT.id], job[AT.attempt], record)
  later('SADD', W .. 'attempts:' .. ext, name_of(job[AT.id], job[AT.attempt]))
  later('ZADD', W .. 'unstarted', 0, full_name(seat[WORKER], job[AT.id], job[AT.attempt]))
  later('ZADD', W .. 'jobs:worker:' .. seat[WORKER], job[AT.seq], job[AT.id])
  if job[AT.lane] then
    local _, _, active = lane_keys(ext, job[AT.lane])
    call('SADD', active, name_of(job[AT.id], job[AT.attempt]))
  end
  if extension.opened then
    save_breaker(extension, extension.failures, extension.opened, token)
  end
  served[job[AT.rank]] = math.max(job[AT.tag], served[job[AT.rank]] or 0)
  append(assignments, assignment(seat[WORKER], job, job[AT.attempt], record))
end

local function is_behind_others(seat)
  for ext in pairs(given[seat[WORKER]] or {}) do
    if seat[ONLY] and not seat[ONLY][ext] then
      return true
    end
  end
  return false
end

-- The queues from which jobs may be handed to a seat.
local function queues_of(seat)
  local queues = {}
  for _, ext in ipairs(workers[seat[WORKER]].offers) do
    local queue = queue_of(ext, seat)
    if queue[1] then
      queue.ext = ext
      go_to(queue, 1)
      append(queues, queue)
    end
  end
  return queues
end

-- The next jobs for a seat, each as the member of its queue, and the extensions that they are of.
local function next_jobs(seat)
  local queues, members, exts = queues_of(seat), {}, {}
  while #members < seat[JOBS] do
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
  given[seat[WORKER]] = given[seat[WORKER]] or {}
  for index, member in ipairs(members) do
    given[seat[WORKER]][exts[index]] = true
    assign(exts[index], member, seat)
  end
  if #members < seat[JOBS] and not seat[ONLY] then
    exhausted[seat[WORKER]] = true
  end
end

for _, seat in ipairs(args.seats) do
  if seat[ONLY] then
    local only = {}
    for _, ext in ipairs(seat[ONLY]) do
      only[tostring(ext)] = true
    end
    seat[ONLY] = only
  end
  local is_seated = worker_of(seat).session == seat[SESSION]
  if is_seated and not exhausted[seat[WORKER]] and not is_behind_others(seat) then
    fill_seat(seat)
  end
end
for id, worker in pairs(workers) do
  if given[id] and next(given[id]) then
    call('HSET', W .. 'worker:' .. id, 'number', worker.number)
  end
end
for rank, tag in pairs(served) do -- how far service has come
  local key = W .. 'shares:' .. rank
  call('HSET', key, '', math.max(tag, tonumber(call('HGET', key, '') or 0)))
end
return answer_packed(pack_with({assignments}, close()))
