-- needs: following rules/cancel
-- Cancels jobs and fences their attempts. A slot stays occupied until its worker confirms the end.
local ended = {}

local function cancel_job(id, actor, reason)
  local job = find_job(id)
  if not job then
    return {'job_not_found'}
  end
  local verdict = cancel.decide(job[JOB.status])
  if verdict ~= 'cancel' then
    return verdict == 'already_ended' and {verdict, job[JOB.status]}
  end
  if job[JOB.status] == 'assigned' then
    pacing.return_start(job)
  end
  end_job(job, 'cancelled', job[JOB.worker], actor, reason)
  if job[JOB.worker] then
    append(step.revoked, {job[JOB.worker], id, job[JOB.attempt], reason})
  end
  recheck_lane(job[JOB.extension], job[JOB.lane])
  ended[job[JOB.extension]] = true
  return false
end
