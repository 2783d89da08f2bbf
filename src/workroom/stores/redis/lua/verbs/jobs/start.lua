-- needs: endings fences shares rules/start
-- The commit point: only an accepted attempt may run code.
local function run(job, extension, record, attempt, nonce)
  local name, timeout = full_name(args.worker, job[JOB.id], attempt), policy_value(extension, 'timeout')
  record[ATTEMPT.started], record[ATTEMPT.timeout] = 1, timeout or false
  save_attempt(args.worker, job[JOB.id], attempt, record)
  defer('ZREM', W .. 'unstarted', name)
  if timeout then
    call('ZADD', W .. 'limited', MONO + timeout * 1000000, name)
    wake_in(timeout)
  end
  job[JOB.nonce], job[JOB.started_us], job[JOB.tries] = nonce, NOW, job[JOB.tries] + 1
  serve(job)
  record_transition(job, 'running', job[JOB.worker], 'worker:' .. job[JOB.worker])
end

local function start_attempt(fence, nonce)
  local job = find_job(fence[1])
  if not job then
    return stale(nil)
  end
  local extension = extension_of(job[JOB.extension])
  local verdict = start.decide(job[JOB.status], is_current(job, args.worker, fence), job[JOB.nonce] == nonce,
    breaker.lets_start(extension.opened, extension.trial, fence[3]))
  if verdict == 'run' then
    run(job, extension, find_attempt(args.worker, job[JOB.id], fence[2]), fence[2], nonce)
    return false
  elseif verdict == 'circuit_open' then
    release(args.worker, job[JOB.id], fence[2], find_attempt(args.worker, job[JOB.id], fence[2]))
    requeue(job, 'server', 'circuit open')
    return {verdict}
  end
  return verdict == 'stale' and stale(job)
end

read_fenced(args.worker, args.starts)
for _, each in ipairs(args.starts) do
  append(step.answers, start_attempt(each[1], each[2]))
end
save_virtual_times()
return reply_packed(build_step())
