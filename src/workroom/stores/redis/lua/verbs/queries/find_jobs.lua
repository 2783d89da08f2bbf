-- needs: read lanes
-- Jobs, newest first. Scans a bounded number, and returns the matches and where to continue.
local slots = {}

local function slots_of(ext)
  if not slots[ext] then
    slots[ext] = 0
    for _, worker in ipairs(call('SMEMBERS', W .. 'offered:' .. ext)) do
      local count, online, draining = unpack(call('HMGET', W .. 'worker:' .. worker, 'slots', 'online', 'draining'))
      if online == '1' and draining ~= '1' then
        slots[ext] = slots[ext] + count
      end
    end
  end
  return slots[ext]
end

local function ahead(key, score, member)
  local rank = call('ZRANK', key, member)
  if rank then
    return rank, true
  end
  local exact = string.format('%.0f', score)
  local count = call('ZCOUNT', key, '-inf', '(' .. exact)
  for _, other in ipairs(call('ZRANGEBYSCORE', key, exact, exact, 'LIMIT', 0, 1000)) do
    count = count + (other < member and 1 or 0)
  end
  return count, false
end

-- The queue state of a pending job: position, whether it is ready, the holder of its lane, and the slots.
local function queue_state(job)
  local score, member = queue_entry(job)
  local position, is_ready = ahead(W .. 'ready:' .. job[JOB.extension], score, member)
  local holder = false
  if job[JOB.lane] then
    local _, parked, active = lane_keys(job[JOB.extension], job[JOB.lane])
    if not is_ready then
      position = position + ahead(parked, score, member)
    end
    local name = call('SMEMBERS', active)[1]
    holder = name and name:match('^(.*):%d+$') or false
  end
  return {position, is_ready, holder, slots_of(job[JOB.extension])}
end

local function matches(job, extension)
  local is_queued = job[JOB.status] == 'pending' or job[JOB.status] == 'assigned'
  if args.queued ~= nil and is_queued ~= args.queued then
    return false
  end
  local is_unfinished = is_queued or job[JOB.status] == 'running'
  if args.unfinished ~= nil and is_unfinished ~= args.unfinished then
    return false
  end
  if args.replayed ~= nil and (call('HEXISTS', W .. 'replays', job[JOB.id]) == 1) ~= args.replayed then
    return false
  end
  return (not args.room or job[JOB.room] == args.room) and (not args.user or job[JOB.user] == args.user)
    and (not args.worker or job[JOB.worker] == args.worker) and (not args.status or job[JOB.status] == args.status)
    and (not args.category or extension.category == args.category) and (not args.name or extension.name == args.name)
end

local function row(job, extension)
  local details = call('HMGET', details_key(job[JOB.id]), 'annotation', unpack(args.brief and {} or {'progress', 'error'}))
  return row_of(JOB_ROW, {
    record = job, progress = details[2] or false, error = details[3] or false, annotation = details[1], key = extension.where, runner = extension.runner,
    owner = extension.owner, paused = extension.paused, opened = extension.opened,
    queue = not args.brief and job[JOB.status] == 'pending' and queue_state(job),
  })
end

local ids = args.ids or call('ZREVRANGEBYSCORE', W .. args.index, '(' .. args.before, '-inf', 'LIMIT', 0, args.scan)
local found, last = {}, false
for _, id in ipairs(ids) do
  local job = find_job(id)
  if job then
    local extension = extension_of(job[JOB.extension])
    last = job[JOB.sequence]
    if matches(job, extension) then
      append(found, row(job, extension))
      if #found >= args.limit then
        break
      end
    end
  end
end
return cmsgpack.pack({found, last, #ids})
