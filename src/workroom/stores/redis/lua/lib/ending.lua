-- needs: attempts
-- What happens when attempts go wrong: another try later, or the end of the job.
local function fill_first(text, name, value)
  local from, to = text:find('@' .. name .. '@', 1, true)
  return from and text:sub(1, from - 1) .. value .. text:sub(to + 1) or text, from
end

local function fill(text, name, value)
  local found
  repeat
    text, found = fill_first(text, name, value)
  until not found
  return text
end

local function leave_queue(job)
  if job[AT.status] ~= 'pending' then
    return
  end
  if job[AT.due] then
    call('ZREM', W .. 'due', job[AT.id])
    call('SREM', W .. 'due:' .. job[AT.ext], job[AT.id])
    job[AT.due] = false
  else
    step_out(job)
  end
  call('ZREM', W .. 'aging', age_name(job))
end

local function finish(job, status, worker, actor, reason)
  leave_queue(job)
  later('ZADD', W .. 'ended', NOW, job[AT.id])
  local name = job[AT.ext] .. SEP .. status
  counts[name] = (counts[name] or 0) + 1
  job[AT.completed] = NOW
  move(job, status, worker, actor, reason)
end

-- `outcome` is an error as it is kept, and the line that the room is told.
local function fail(job, outcome, worker, actor, reason)
  job[AT.chat] = say(job[AT.room], SERVER, outcome[2], job[AT.id])
  call('HSET', details_key(job[AT.id]), 'error', outcome[1])
  finish(job, 'failed', worker, actor, reason)
end

-- Back to pending, at its old place; in a backoff it waits in the due index.
local function requeue(job, actor, reason, due, is_loss)
  call('ZREM', W .. 'jobs:worker:' .. (job[AT.worker] or ''), job[AT.id])
  call('HDEL', details_key(job[AT.id]), 'progress')
  job[AT.losses] = job[AT.losses] + (is_loss and 1 or 0)
  job[AT.token], job[AT.worker], job[AT.assigned], job[AT.started], job[AT.said] = false, false, false, false, false
  job[AT.due] = due or false
  move(job, 'pending', false, actor, reason)
  if due then
    call('ZADD', W .. 'due', due, job[AT.id])
    call('SADD', W .. 'due:' .. job[AT.ext], job[AT.id])
  else
    line_up(job)
    arrive(job[AT.ext])
    touch(job[AT.ext], job[AT.lane])
  end
  if job[AT.rank] > 0 then
    call('ZADD', W .. 'aging', job[AT.aged], age_name(job))
  end
end

-- Another try, if the policy has one left; `outcomes` are the error by itself, and after all tries.
local function try_again(job, outcomes, worker, actor, reason)
  local retries = policy_value(extension_of(job[AT.ext]), 'retries') or 0
  if job[AT.tries] <= retries then
    local delay = args.delays[math.min(job[AT.tries], #args.delays)]
    local due = NOW + math.floor(delay * 1000000)
    requeue(job, actor, string.format('%s; again in %.1f s', reason, delay), due)
    return true
  end
  local outcome = retries == 0 and outcomes[1] or {
    (fill_first(outcomes[2][1], 'RETRIES', retries)), (fill_first(outcomes[2][2], 'RETRIES', retries)),
  }
  fail(job, outcome, worker, actor, reason)
  return false
end

local function filled(outcome, name, value)
  return {fill(outcome[1], name, value), fill(outcome[2], name, value)}
end

local function lost_outcomes(job, worker)
  local quoted = cjson.encode(worker):sub(2, -2)
  local found = {}
  for index, outcome in ipairs(LOST) do
    found[index] = filled(filled(outcome, 'WORKER', quoted), 'JOB', job[AT.id])
  end
  return found
end

-- What was started is lost with its worker; what was not is given back, and only a loss is counted.
local function lose(worker, attempts, reason, is_loss)
  for _, held in ipairs(attempts) do
    local job = find_job(held.id)
    release(worker, held.id, held.attempt, held.record)
    end_trial(extension_of(held.record[EXT]), held.record[TOKEN])
    if is_awaited(job, held.record) then
      if held.record[STARTED] == 1 then
        try_again(job, lost_outcomes(job, worker), worker, 'server', reason)
      elseif job[AT.losses] + (is_loss and 1 or 0) >= MAX_LOSSES then
        fail(job, lost_outcomes(job, worker)[1], worker, 'server', reason)
      else
        requeue(job, 'server', reason, nil, is_loss)
      end
    end
  end
end

local function extensions_of(attempts)
  local found = {}
  for _, held in ipairs(attempts) do
    found[held.record[EXT]] = true
  end
  return found
end
