-- needs: attempts duplicates postponed
-- Ends jobs, wherever they wait.
local function leave_queue(job)
  if job[JOB.status] ~= 'pending' then
    return
  end
  if job[JOB.is_postponed] then
    return waits.finish(job)
  end
  if job[JOB.due_us] then
    call('ZREM', W .. 'due', job[JOB.id])
    call('SREM', W .. 'due:' .. job[JOB.extension], job[JOB.id])
    job[JOB.due_us] = false
  else
    dequeue(job)
  end
  call('ZREM', W .. 'aging', age_name(job))
end

local function end_job(job, status, worker, actor, reason)
  leave_queue(job)
  defer('ZADD', W .. 'ended', NOW, job[JOB.id])
  count_end(job, status)
  if job[JOB.unique] then
    duplicates.free(job, status)
  end
  job[JOB.completed_us] = NOW
  record_transition(job, status, worker, actor, reason)
end
