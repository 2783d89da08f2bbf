-- needs: ending
-- Drops jobs that ended long ago, with all that is on record of them. Their rooms have let go of them before.
local function is_held(job)
  for attempt = 1, job.attempt do
    if call('SISMEMBER', W .. 'attempts:' .. job.ext, name_of(job.id, attempt)) == 1 then
      return true
    end
  end
  return false
end

local function waste(job)
  for _, packed in ipairs(call('HVALS', W .. 'artifacts:' .. job.id)) do
    call('ZADD', W .. 'waste', 0, cmsgpack.unpack(packed)[2])
  end
  local preview = call('HGET', job.key, 'preview')
  if preview then
    call('ZADD', W .. 'waste', 0, cmsgpack.unpack(preview)[3])
  end
  call('DEL', W .. 'artifacts:' .. job.id)
end

local function forget(job)
  for _, sequence in ipairs(job.events) do
    call('XDEL', W .. 'log:' .. job.room, sequence .. '-0')
  end
  if job.chat then
    call('XDEL', W .. 'chat:' .. job.room, job.chat .. '-0')
  end
  if job.retry_of and call('HGET', W .. 'replays', job.retry_of) == job.id then
    call('HDEL', W .. 'replays', job.retry_of)
  end
  for _, key in ipairs({'jobs', 'jobs:room:' .. job.room, 'jobs:user:' .. job.user, 'ended'}) do
    call('ZREM', W .. key, job.id)
  end
  if job.worker then
    call('ZREM', W .. 'jobs:worker:' .. job.worker, job.id)
  end
  call('HINCRBY', W .. 'usage:' .. job.ext, job.status, -1)
  waste(job)
  call('DEL', job.key)
end

for _, id in ipairs(args.jobs) do
  local job = find_job(id)
  if job and TERMINAL[job.status] and not is_held(job) then
    forget(job)
  end
end
return answer(true)
