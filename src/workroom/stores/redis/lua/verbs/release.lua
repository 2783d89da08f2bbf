-- needs: endings fences rules/unbegun
-- Attempts are given back, by their worker or by the server, without having begun.
local function give_back(fence, nonce)
  local job = find_job(fence[1])
  if not job then
    return stale(nil)
  end
  local record = find_attempt(args.worker, job[JOB.id], fence[2])
  local is_live = record and record[ATTEMPT.token] == fence[3]
  local verdict = unbegun.decide(
    job[JOB.status], is_current(job, args.worker, fence), is_live, job[JOB.nonce] == nonce, not nonce)
  if verdict == 'stale' then
    return stale(job)
  end
  release(args.worker, job[JOB.id], fence[2], record)
  change_breaker(extension_of(job[JOB.extension]), 'none', fence[3])
  if verdict == 'late' then
    return stale(job)
  end
  job[JOB.tries] = job[JOB.tries] - record[ATTEMPT.started]
  requeue(job, args.actor, args.reason)
  return false
end

local ended = {}
read_fenced(args.worker, args.attempts)
for _, each in ipairs(args.attempts) do
  local refusal = give_back(each[1], each[2])
  append(step.answers, refusal)
  local job = find_job(each[1][1])
  if refusal and job then
    ended[job[JOB.extension]] = true
  end
end
retire(ended)
return reply_packed(build_step())
