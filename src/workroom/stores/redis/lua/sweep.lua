-- needs: forgiving shares
-- Lets go of what has run out: leases, start deadlines, timeouts, backoffs, and what nobody needs any more.
local function names(name)
  local worker, id, attempt = name:match('^(.-)' .. SEP .. '(.-)' .. SEP .. '(%d+)$')
  return worker, id, tonumber(attempt)
end

local free = {}

local function has_free_slot(worker)
  if free[worker] == nil then
    local slots = tonumber(call('HGET', W .. 'worker:' .. worker, 'slots'))
    for _, held in ipairs(held_by(worker)) do
      slots = slots - held.record[STARTED]
    end
    free[worker] = slots > 0
  end
  return free[worker]
end

-- If somebody set the wall clock, what is due by it moves along.
local function follow_clock(swept, swept_at)
  local jump = (NOW - swept_at) - (MONO - swept)
  if math.abs(jump) <= CLOCK_JUMP_US then
    return
  end
  for _, id in ipairs(call('ZRANGE', W .. 'due', 0, -1)) do
    local job = find_job(id)
    job[AT.due] = job[AT.due] + jump
    save_job(job)
    call('ZADD', W .. 'due', job[AT.due], id)
  end
  for _, id in ipairs(call('SMEMBERS', W .. 'broken')) do
    local extension = extension_of(id)
    save_breaker(extension, extension.failures, extension.opened + jump, extension.trial)
  end
end

-- Attempts that a worker with a free slot has not started in time. A job behind a long one is not late.
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

local function timeout_outcomes(job, timeout)
  local found = {}
  for index, outcome in ipairs(TIMED_OUT) do
    local error = fill(fill(outcome[1], 'SECONDS', timeout), 'TIMEOUT', timeout)
    found[index] = filled({error, fill(outcome[2], 'TIMEOUT', timeout)}, 'JOB', job[AT.id])
  end
  return found
end

-- Jobs past their timeout end; their attempts take up their workers until those confirm.
local function time_out()
  for _, name in ipairs(call('ZRANGEBYSCORE', W .. 'limited', '-inf', MONO)) do
    local worker, id, attempt = names(name)
    local job, record = find_job(id), find_attempt(worker, id, attempt)
    call('ZREM', W .. 'limited', name)
    if is_awaited(job, record) and job[AT.status] == 'running' then
      local extension = extension_of(job[AT.ext])
      local outcomes = timeout_outcomes(job, policy_value(extension, 'timeout') or record[TIMEOUT])
      after_failure(extension, record[TOKEN])
      if policy_value(extension, 'retry_on') == 'error' then
        try_again(job, outcomes, worker, 'server', 'timeout')
      else
        fail(job, outcomes[1], worker, 'server', 'timeout')
      end
      append(step.revoked, {worker, id, attempt, 'timeout'})
    end
  end
end

-- Jobs whose backoff is over wait again with the others; breakers whose break is over let one try.
local function wake_due()
  for _, id in ipairs(call('ZRANGEBYSCORE', W .. 'due', '-inf', NOW, 'LIMIT', 0, 1000)) do
    local job = find_job(id)
    call('ZREM', W .. 'due', id)
    call('SREM', W .. 'due:' .. job[AT.ext], id)
    job[AT.due] = false
    save_job(job)
    line_up(job)
    touch(job[AT.ext], job[AT.lane])
    if not job[AT.lane] then
      arrive(job[AT.ext])
    end
  end
  for _, id in ipairs(call('SMEMBERS', W .. 'broken')) do
    local extension = extension_of(id)
    if extension.active and not extension.trial and NOW >= extension.opened + BREAK_US and waiting(id) > 0 then
      arrive(id)
    end
  end
end

-- Those that have waited longest rise by one priority, and stand where their user's next job would stand.
local function age()
  local aged = call('ZRANGEBYSCORE', W .. 'aging', '-inf', NOW - AGE_US, 'LIMIT', 0, AGE_BATCH)
  for _, name in ipairs(aged) do
    local job = find_job(name:sub(13))
    if not job[AT.due] then
      step_out(job)
    end
    job[AT.rank] = job[AT.rank] - 1
    job[AT.tag], job[AT.aged] = next_tag(job[AT.rank], job[AT.user]), NOW
    save_job(job)
    if job[AT.rank] > 0 then
      call('ZADD', W .. 'aging', NOW, name)
    else
      call('ZREM', W .. 'aging', name)
    end
    if not job[AT.due] then
      line_up(job)
      touch(job[AT.ext], job[AT.lane])
    end
  end
  save_shares()
end

local function forget_codes()
  for _, name in ipairs(call('ZRANGEBYSCORE', W .. 'codes', '-inf', '(' .. string.format('%.0f', NOW))) do
    call('DEL', W .. 'code:' .. name)
    call('ZREM', W .. 'codes', name)
  end
  call('ZREMRANGEBYSCORE', W .. 'revoked', '-inf', '(' .. string.format('%.0f', NOW))
end

-- A share that service has passed is as good as none.
local function forget_shares()
  for rank = 0, HIGHEST do
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

local swept, swept_at, kept_up = unpack(call('HMGET', W .. 'meta', 'swept', 'swept_at', 'kept_up'))
swept, swept_at, kept_up = tonumber(swept), tonumber(swept_at), tonumber(kept_up)
if MONO - swept > args.lease or MONO < swept then
  forgive()
end
follow_clock(swept, swept_at)
call('HSET', W .. 'meta', 'swept', MONO, 'swept_at', NOW)
give_back()
time_out()
wake_due()
if MONO - kept_up >= UPKEEP_US or MONO < kept_up then
  call('HSET', W .. 'meta', 'kept_up', MONO)
  forget_codes()
  age()
  forget_shares()
end
for _, worker in ipairs(call('ZRANGEBYSCORE', W .. 'leases', '-inf', MONO)) do
  close_worker(worker, 'lease expired', true)
end
return answer_packed(close())
