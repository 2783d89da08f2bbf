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

-- The rate of a job that is not ready, unless its lane is full: its bucket, the time of the next start, how many jobs of
-- its lane are ahead, and the rate.
local function pace_of(job, extension, score, member)
  local rate = pacing.rate_of(extension, job[JOB.lane])
  local open, parked, active = lane_keys(extension.id, job[JOB.lane])
  local limit = limits.limit_of(policy_value(extension, 'concurrency'), job[JOB.lane])
  if not rate or call('SCARD', active) >= limit then
    return false
  end
  local bucket = pacing.bucket_of(extension, job[JOB.lane])
  local before = ahead(open, score, member) + ahead(parked, score, member)
  return {bucket, pacing.next_start(extension.id, bucket) or false, before, rate}
end

-- The queue state of a pending job: position, whether it is ready, the holder of its lane, the slots, and the rate.
local function queue_state(job)
  local score, member = queue_entry(job)
  local position, is_ready = ahead(W .. 'ready:' .. job[JOB.extension], score, member)
  local holder, pace = false, false
  if job[JOB.lane] then
    local _, parked, active = lane_keys(job[JOB.extension], job[JOB.lane])
    if not is_ready then
      local extension = extension_of(job[JOB.extension])
      local paced = pacing.pace_keys(job[JOB.extension], pacing.bucket_of(extension, job[JOB.lane]))
      position = position + ahead(parked, score, member) + ahead(paced, score, member)
      pace = not job[JOB.due_us] and pace_of(job, extension, score, member)
    end
    local name = call('SMEMBERS', active)[1]
    holder = name and name:match('^(.*):%d+$') or false
  end
  return {position, is_ready, holder, slots_of(job[JOB.extension]), pace}
end

-- Why a job is not in the queue yet: blockers, a job and a group among them, a time, a paused group.
local function why_postponed(job)
  local packed = call('HGET', details_key(job[JOB.id]), 'postponed')
  local postponed = cmsgpack.unpack(packed)
  local before = call('SRANDMEMBER', W .. 'blockers:' .. job[JOB.id])
  local is_group = before and before:sub(1, #GROUP_PREFIX) == GROUP_PREFIX
  return {
    postponed[POSTPONED.blockers], not is_group and before, is_group and before, postponed[POSTPONED.run_us],
    postponed[POSTPONED.is_paused] and job[JOB.group],
  }
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

-- What a running attempt waits for.
local function waits_of(job)
  local name = job[JOB.id] .. ':' .. job[JOB.attempt]
  local packed = call('HGET', W .. 'held:' .. job[JOB.worker], name)
  return packed and cmsgpack.unpack(packed)[ATTEMPT.waits]
end

local function row(job, extension)
  local wanted = args.brief and {} or {'progress', 'error', 'exchanges'}
  local details = call('HMGET', details_key(job[JOB.id]), 'annotation', unpack(wanted))
  return row_of(JOB_ROW, {
    record = job, progress = details[2] or false, error = details[3] or false, annotation = details[1],
    exchanges = details[4] or false, waits = not args.brief and job[JOB.status] == 'running' and waits_of(job),
    key = extension.where, runner = extension.runner,
    owner = extension.owner, paused = extension.paused, opened = extension.opened,
    queue = not args.brief and job[JOB.status] == 'pending' and queue_state(job),
    postponed = not args.brief and job[JOB.is_postponed] and why_postponed(job),
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
