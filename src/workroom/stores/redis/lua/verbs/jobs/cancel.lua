-- needs: endings rules/cancel
-- Cancel jobs and fence their attempts. A slot stays occupied until its worker confirms the end.
local ended = {}

local function cancel_job(id)
  local job = find_job(id)
  if not job then
    return {'job_not_found'}
  end
  local verdict = cancel.decide(job[JOB.status])
  if verdict ~= 'cancel' then
    return verdict == 'already_ended' and {verdict, job[JOB.status]}
  end
  end_job(job, 'cancelled', job[JOB.worker], args.actor, args.reason)
  if job[JOB.worker] then
    append(step.revoked, {job[JOB.worker], id, job[JOB.attempt], args.reason})
  end
  recheck_lane(job[JOB.extension], job[JOB.lane])
  ended[job[JOB.extension]] = true
  return false
end

for _, id in ipairs(args.jobs) do
  append(step.answers, cancel_job(id))
end
retire(ended)
return reply_packed(build_step())
