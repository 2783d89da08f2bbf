-- needs: following rules/loss rules/failure
-- Applies verdicts about jobs whose attempts ended.
local function fail(job, error, worker, actor, reason)
  job[JOB.chat_message] = post_chat(job[JOB.room], SERVER, failure.failure_line(job[JOB.id], error), job[JOB.id])
  call('HSET', details_key(job[JOB.id]), 'error', failure.encode(error))
  end_job(job, 'failed', worker, actor, reason)
end

-- Make the job pending again, at its old position; during a backoff it waits in the due index.
local function requeue(job, actor, reason, due, is_loss)
  if not due then -- its code never ran
    pacing.return_start(job)
  end
  call('ZREM', W .. 'jobs:worker:' .. (job[JOB.worker] or ''), job[JOB.id])
  call('HDEL', details_key(job[JOB.id]), 'progress')
  job[JOB.losses] = job[JOB.losses] + (is_loss and 1 or 0)
  job[JOB.token], job[JOB.worker], job[JOB.error_digest] = false, false, false
  job[JOB.assigned_us], job[JOB.started_us] = false, false
  job[JOB.due_us] = due or false
  record_transition(job, 'pending', false, actor, reason)
  if job[JOB.group] and call('HGET', links.key(job[JOB.group]), 'is_paused') == '1' then
    job[JOB.due_us] = false
    return waits.add(job, waits.paused(due))
  end
  if due then
    call('ZADD', W .. 'due', due, job[JOB.id])
    call('SADD', W .. 'due:' .. job[JOB.extension], job[JOB.id])
  else
    enqueue(job)
    arrive(job[JOB.extension])
    recheck_lane(job[JOB.extension], job[JOB.lane])
  end
  if job[JOB.rank] > 0 then
    call('ZADD', W .. 'aging', job[JOB.aged_us], age_name(job))
  end
end

local function retries_of(extension)
  return policy_value(extension, 'retries') or 0
end

-- Apply what the rules decided about a job whose attempt ended with `error`.
local function conclude(job, fate, error, worker, actor, reason, is_loss)
  if fate == 'retry' then
    local delay = retry.backoff_s(job[JOB.tries], args.jitter)
    wake_in(delay)
    requeue(job, actor, failure.retry_reason(reason, delay), NOW + math.floor(delay * 1000000))
  elseif fate == 'requeue' then
    requeue(job, actor, reason, nil, is_loss)
  elseif fate == 'give_up' then
    local retries = retries_of(extension_of(job[JOB.extension]))
    fail(job, failure.retries_exhausted(error, retries), worker, actor, reason)
  elseif fate == 'fail' then
    fail(job, error, worker, actor, reason)
  end
end

-- Release attempts that their worker no longer has, and decide about the jobs that wait for them.
local function lose(worker, attempts, reason, is_loss)
  for _, held in ipairs(attempts) do
    local job, record = find_job(held.id), held.record
    local extension = extension_of(record[ATTEMPT.extension])
    release(worker, held.id, held.attempt, record)
    change_breaker(extension, 'none', record[ATTEMPT.token])
    local is_started, retries = record[ATTEMPT.started] == 1, retries_of(extension)
    local fate = loss.decide(
      is_awaited(job, record), is_started, job[JOB.losses], is_loss, retries, job[JOB.tries])
    conclude(job, fate, failure.worker_lost(worker), worker, 'server', reason, is_loss)
  end
end

local function extensions_of(attempts)
  local found = {}
  for _, held in ipairs(attempts) do
    found[held.record[ATTEMPT.extension]] = true
  end
  return found
end
