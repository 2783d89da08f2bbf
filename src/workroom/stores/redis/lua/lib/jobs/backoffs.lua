-- needs: step extensions jobs rules/retry
-- After the clock was set back: a backoff, and the break of a circuit breaker, begin anew at the latest now.
local function cap_waits()
  for _, id in ipairs(call('ZRANGE', W .. 'due', 0, -1)) do
    local job = find_job(id)
    local due = retry.capped_due_us(job[JOB.due_us], NOW, job[JOB.tries])
    if due < job[JOB.due_us] then
      job[JOB.due_us] = due
      save_job(job)
      call('ZADD', W .. 'due', due, id)
    end
  end
  for _, id in ipairs(call('SMEMBERS', W .. 'broken')) do
    local extension = extension_of(id)
    if extension.opened > NOW then
      extension.opened = NOW
      call('HSET', extension.key, 'opened', NOW)
    end
  end
end
