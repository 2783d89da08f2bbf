-- needs: ending
-- Jobs become cancelled and their attempts are fenced. A worker keeps its slot until it confirms the end.
local ended = {}

local function cancel(id)
  local job = find_job(id)
  if not job then
    return {'job_not_found'}
  end
  if job.status == 'cancelled' then
    return false
  end
  if TERMINAL[job.status] then
    return {'already_ended', job.status}
  end
  finish(job, 'cancelled', job.worker, args.actor, args.reason)
  if job.worker then
    append(step.revoked, {job.worker, id, job.attempt, args.reason})
  end
  touch(job.ext, job.lane)
  ended[job.ext] = true
  return false
end

for _, id in ipairs(args.jobs) do
  append(step.answers, cancel(id))
end
retire(ended)
return answer_packed(close())
