-- needs: leases backoffs group_changes codes rules/finish rules/upkeep
-- Expire leases, start deadlines, timeouts and backoffs, and delete what is no longer needed.
local function names(name)
  local worker, id, attempt = name:match('^(.-)' .. SEP .. '(.-)' .. SEP .. '(%d+)$')
  return worker, id, tonumber(attempt)
end

local free = {}

local function has_free_slot(worker)
  if free[worker] == nil then
    local slots = tonumber(call('HGET', W .. 'worker:' .. worker, 'slots'))
    for _, held in ipairs(held_by(worker)) do
      slots = slots - (held.record[ATTEMPT.waits] and 0 or held.record[ATTEMPT.started])
    end
    free[worker] = slots > 0
  end
  return free[worker]
end

-- If the wall clock was set, shift what is due by it.
local function follow_clock(swept, swept_at)
if MONO < swept then
  cap_waits()
end
  local jump = upkeep.clock_jump_us(NOW - swept_at, MONO - swept)
  if jump == 0 then
    return
  end
  for _, id in ipairs(call('ZRANGE', W .. 'due', 0, -1)) do
    local job = find_job(id)
    job[JOB.due_us] = job[JOB.due_us] + jump
    save_job(job)
    call('ZADD', W .. 'due', job[JOB.due_us], id)
  end
  for _, id in ipairs(call('SMEMBERS', W .. 'broken')) do
    local extension = extension_of(id)
    save_breaker(extension, extension.ends, extension.opened + jump, extension.trial)
  end
  for _, id in ipairs(call('ZRANGE', W .. 'departed', 0, -1)) do
    local extension = extension_of(id)
    extension.left, extension.leaves = extension.left + jump, extension.leaves + jump
    call('HSET', extension.key, 'left', extension.left, 'leaves', extension.leaves)
    call('ZADD', W .. 'departed', extension.leaves, id)
  end
  pacing.each_rate(function(id, bucket, next_us)
    pacing.save_next_start(id, bucket, next_us + jump)
  end)
end

-- Requeue attempts that a worker with a free slot did not start in time. A job behind a long one is not late.
local function give_back()
  local members = call('ZRANGE', W .. 'unstarted', 0, -1, 'WITHSCORES')
  local late = {}
  for index = 1, #members, 2 do
    local worker, id, attempt = names(members[index])
    local since, record = tonumber(members[index + 1]), find_attempt(worker, id, attempt)
    if not has_free_slot(worker) or not is_awaited(find_job(id), record) then
      if since > 0 then
        call('ZADD', W .. 'unstarted', 0, members[index])
      end
    elseif since == 0 then
      call('ZADD', W .. 'unstarted', MONO, members[index])
    elseif MONO - since >= args.start then
      append(late, {worker, {{id = id, attempt = attempt, record = record}}})
    end
  end
  for _, each in ipairs(late) do
    local worker, held = each[1], each[2][1]
    lose(worker, each[2], 'start deadline', true)
    append(step.revoked, {worker, held.id, held.attempt, 'start deadline'})
    retire(extensions_of(each[2]))
  end
end

-- Fail jobs past their timeout. Their attempts occupy workers until those confirm the end.
local function time_out()
  for _, name in ipairs(call('ZRANGEBYSCORE', W .. 'limited', '-inf', MONO)) do
    local worker, id, attempt = names(name)
    local job, record = find_job(id), find_attempt(worker, id, attempt)
    call('ZREM', W .. 'limited', name)
    if is_awaited(job, record) and job[JOB.status] == 'running' then
      local extension = extension_of(job[JOB.extension])
      local fate, sign = finish.after_timeout(
        policy_value(extension, 'retry_on'), retries_of(extension), job[JOB.tries], job[JOB.has_failed])
      change_breaker(extension, sign, record[ATTEMPT.token])
      job[JOB.has_failed] = true
      conclude(job, fate, failure.job_timeout(record[ATTEMPT.timeout]), worker, 'server', 'timeout')
      append(step.revoked, {worker, id, attempt, 'timeout'})
    end
  end
end

-- Enqueue jobs whose backoff is over, and let open breakers try one job after their break.
local function wake_due()
  for _, id in ipairs(call('ZRANGEBYSCORE', W .. 'due', '-inf', NOW, 'LIMIT', 0, 1000)) do
    local job = find_job(id)
    call('ZREM', W .. 'due', id)
    call('SREM', W .. 'due:' .. job[JOB.extension], id)
    job[JOB.due_us] = false
    save_job(job)
    enqueue(job)
    recheck_lane(job[JOB.extension], job[JOB.lane])
    if not job[JOB.lane] then
      arrive(job[JOB.extension])
    end
  end
  for _, id in ipairs(call('SMEMBERS', W .. 'broken')) do
    local extension = extension_of(id)
    if extension.active and breaker.admits_trial(extension.opened, extension.trial, NOW) and waiting(id) > 0 then
      arrive(id)
    end
  end
end

-- Enqueue postponed jobs whose time has come, some in each sweep.
local function enqueue_due()
  for _, name in ipairs(call('ZRANGEBYSCORE', W .. 'postponed', '-inf', NOW, 'LIMIT', 0, ENQUEUE_BATCH)) do
    waits.start(find_job(name:sub(13)), waits.find(name:sub(13)))
  end
end

-- Make jobs ready whose rate lets them start now, and delete rates that hold nothing back any more.
local function open_rates()
  local due = call('ZRANGEBYSCORE', W .. 'rates', '-inf', NOW + TOLERANCE_US, 'WITHSCORES', 'LIMIT', 0, 1000)
  for index = 1, #due, 2 do
    local id, bucket = due[index]:match('^(.-)' .. SEP .. '(.*)$')
    local extension = extension_of(id)
    local added = extension and pacing.rate_of(extension, bucket) and pacing.show(extension, bucket) or 0
    if added > 0 then
      arrive(id, added)
    end
    if tonumber(due[index + 1]) <= NOW then
      call('ZREM', W .. 'rates', due[index])
    end
  end
  local later = call('ZRANGEBYSCORE', W .. 'rates', '(' .. string.format('%.0f', NOW + TOLERANCE_US), '+inf',
    'WITHSCORES', 'LIMIT', 0, 1)
  if #due == 2000 then
    wake_in(0)
  elseif later[2] then
    wake_in((tonumber(later[2]) - TOLERANCE_US - NOW) / 1000000)
  end
end

local keep_up

do -- a block, because a script may have 200 local variables at most at a time
-- Raise the longest waiting jobs by one priority, behind their user's other jobs there.
local function age()
  local aged = call('ZRANGEBYSCORE', W .. 'aging', '-inf', fair_share.aged_before(NOW), 'LIMIT', 0, AGE_BATCH)
  for _, name in ipairs(aged) do
    local job = find_job(name:sub(13))
    if not job[JOB.due_us] then
      dequeue(job)
    end
    job[JOB.rank] = fair_share.raised(job[JOB.rank])
    job[JOB.tag], job[JOB.aged_us] = next_tag(job[JOB.rank], job[JOB.user]), NOW
    save_job(job)
    if job[JOB.rank] > 0 then
      call('ZADD', W .. 'aging', NOW, name)
    else
      call('ZREM', W .. 'aging', name)
    end
    if not job[JOB.due_us] then
      enqueue(job)
      recheck_lane(job[JOB.extension], job[JOB.lane])
    end
  end
  save_shares()
end

local function forget_codes()
  drop_among(call('ZRANGEBYSCORE', W .. 'codes', '-inf', '(' .. string.format('%.0f', NOW)), function() return true end)
  call('ZREMRANGEBYSCORE', W .. 'revoked', '-inf', '(' .. string.format('%.0f', NOW))
end

-- Delete dismissals after a day, and beyond the maximum number.
local function forget_dismissals()
  local old = call('ZRANGEBYSCORE', W .. 'dismissed', '-inf', '(' .. string.format('%.0f', NOW - DISMISSED_US))
  for _, worker in ipairs(call('ZRANGE', W .. 'dismissed', 0, -MAX_DISMISSED - 1)) do
    append(old, worker)
  end
  for _, worker in ipairs(old) do
    call('ZREM', W .. 'dismissed', worker)
    call('HDEL', W .. 'dismissals', worker)
  end
  call('ZREMRANGEBYSCORE', W .. 'bans', '-inf', '(' .. string.format('%.0f', NOW - DISMISSED_US))
  call('ZREMRANGEBYRANK', W .. 'bans', 0, -MAX_DISMISSED - 1)
end

-- Delete shares that virtual time has passed.
local function forget_shares()
  for rank = 0, MAX_PRIORITY do
    local key = W .. 'shares:' .. rank
    local tags = call('HGETALL', key)
    local reached = tonumber(call('HGET', key, '') or 0)
    for index = 1, #tags, 2 do
      if tags[index] ~= '' and tonumber(tags[index + 1]) <= reached then
        call('HDEL', key, tags[index])
      end
    end
  end
end

-- Extensions that have lingered long enough.
local function retire_departed()
  local ids = {}
  for _, id in ipairs(call('ZRANGEBYSCORE', W .. 'departed', '-inf', NOW)) do
    ids[id] = true
  end
  retire(ids)
end

-- Whether a job, a consent or an offer refers to an extension. Its counts include archived jobs.
local function is_referred_to(id)
  for _, count in ipairs(call('HMGET', W .. 'usage:' .. id, 'completed', 'failed', 'cancelled')) do
    if tonumber(count or 0) > 0 then
      return true
    end
  end
  return is_unfinished(id) or call('EXISTS', W .. 'consents:' .. id, W .. 'offered:' .. id) > 0
end

local function delete_extension(extension)
  local id = extension.id
  local actor = call('HGET', extension.key, 'actor')
  if actor and actor ~= '' then
    call('ZREM', W .. 'actor:' .. actor, id)
  end
  call('HDEL', W .. 'exts', table.concat(extension.where, SEP))
  for _, key in ipairs({'exts:' .. extension.room, 'exts:user:' .. extension.owner, 'kept_exts', 'broken'}) do
    call('SREM', W .. key, id)
  end
  call('ZREM', W .. 'departed', id)
  call('DEL', extension.key, W .. 'usage:' .. id, W .. 'recent:' .. id)
  known_extensions[id] = false
end

-- Extensions that have left and that nothing refers to: some in each sweep, so that none takes long.
local function forget_extensions()
  local cursor = call('HGET', W .. 'meta', 'extension_cursor') or '0'
  local found = call('HSCAN', W .. 'exts', cursor, 'COUNT', 100)
  call('HSET', W .. 'meta', 'extension_cursor', found[1])
  for index = 2, #found[2], 2 do
    local extension = extension_of(found[2][index])
    if not extension.active and not is_referred_to(extension.id) then
      delete_extension(extension)
    end
  end
end

-- Workers that left long ago and hold nothing.
local function forget_offline()
  for _, id in ipairs(call('ZRANGEBYSCORE', W .. 'offline', '-inf', '(' .. (NOW - args.offline))) do
    if call('EXISTS', W .. 'held:' .. id) == 0 then
      call('ZREM', W .. 'workers:user:' .. call('HGET', W .. 'worker:' .. id, 'user'), id)
      call('DEL', W .. 'worker:' .. id)
      call('ZREM', W .. 'offline', id)
    end
  end
end

-- Jobs that ended with open questions, in turns: no end of a job checks for them.
local function close_ended_questions()
  for _, id in ipairs(call('ZRANGE', W .. 'questions', 0, 499)) do
    local job = find_job(id)
    if job and not TERMINAL[job[JOB.status]] then
      call('ZADD', W .. 'questions', NOW, id)
    else
      call('ZREM', W .. 'questions', id)
      call('ZREM', W .. 'questions:' .. (job and job[JOB.room] or ''), id)
    end
  end
end

keep_up = function()
  call('HSET', W .. 'meta', 'kept_up', MONO)
  forget_codes()
  forget_dismissals()
  forget_offline()
  retire_departed()
  forget_extensions()
  close_ended_questions()
  age()
  forget_shares()
end
end

local swept, swept_at, kept_up = unpack(call('HMGET', W .. 'meta', 'swept', 'swept_at', 'kept_up'))
swept, swept_at, kept_up = tonumber(swept), tonumber(swept_at), tonumber(kept_up)
if upkeep.is_outage(MONO - swept, args.lease) then
  renew_everything()
end
follow_clock(swept, swept_at)
call('HSET', W .. 'meta', 'swept', MONO, 'swept_at', NOW)
give_back()
time_out()
wake_due()
enqueue_due()
links.follow_up()
links.carry_on()
open_rates()
if upkeep.is_upkeep_due(MONO - kept_up) then
  keep_up()
end
for _, worker in ipairs(call('ZRANGEBYSCORE', W .. 'leases', '-inf', MONO)) do
  local own = own_lease(worker)
  if own and upkeep.spares(MONO - swept, own, args.heartbeat) then
    grant(worker)
  else
    close_worker(worker, 'lease expired', true)
  end
end
for index, clock in pairs({limited = MONO, due = NOW, postponed = NOW}) do
  local soonest = call('ZRANGE', W .. index, 0, 0, 'WITHSCORES')[2]
  if soonest then
    wake_in((tonumber(soonest) - clock) / 1000000)
  end
end
return reply_packed(build_step())
