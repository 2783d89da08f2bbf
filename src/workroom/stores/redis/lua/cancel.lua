-- needs: ending
-- Jobs become cancelled and their attempts are fenced. A worker keeps its slot until it confirms the end.
local ended = {}

local function cancel(id)
  local job = find_job(id)
  if not job then
    return {'job_not_found'}
  end
  if job[AT.status] == 'cancelled' then
    return false
  end
  if TERMINAL[job[AT.status]] then
    return {'already_ended', job[AT.status]}
  end
  finish(job, 'cancelled', job[AT.worker], args.actor, args.reason)
  if job[AT.worker] then
    append(step.revoked, {job[AT.worker], id, job[AT.attempt], args.reason})
  end
  touch(job[AT.ext], job[AT.lane])
  ended[job[AT.ext]] = true
  return false
end

for _, id in ipairs(args.jobs) do
  append(step.answers, cancel(id))
end
retire(ended)
return answer_packed(close())
