-- needs: step extensions jobs pacing rules/retry
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
  pacing.each_rate(function(id, bucket, next_us)
    local rate = extension_of(id) and pacing.rate_of(extension_of(id), bucket)
    if rate then
      pacing.save_next_start(id, bucket, rates.capped_us(next_us, NOW, rates.interval_us(rate)))
    end
  end)
end
