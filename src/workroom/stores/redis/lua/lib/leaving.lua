-- needs: ending
-- Jobs leave that are over and take up no worker. Their rooms have let go of them before.
local function may_leave(job)
  if not job or not TERMINAL[job.status] then
    return false
  end
  for attempt = 1, job.attempt do
    if call('SISMEMBER', W .. 'attempts:' .. job.ext, name_of(job.id, attempt)) == 1 then
      return false
    end
  end
  return true
end

-- A form that shows the values of the job finds them in its room from now on.
local function leave_form(job)
  local extension = extension_of(job.ext)
  local forms, form = W .. 'forms:' .. job.user, table.concat({job.room, extension.category, extension.name}, SEP)
  if call('HGET', forms, form) == job.id then
    call('HSET', forms, form, '')
  end
end

local function leave(job)
  leave_form(job)
  for _, sequence in ipairs(job.events) do
    call('XDEL', W .. 'log:' .. job.room, sequence .. '-0')
  end
  if job.chat then
    call('XDEL', W .. 'chat:' .. job.room, job.chat .. '-0')
  end
  for _, key in ipairs({'jobs', 'jobs:room:' .. job.room, 'jobs:user:' .. job.user, 'ended'}) do
    call('ZREM', W .. key, job.id)
  end
  if job.worker then
    call('ZREM', W .. 'jobs:worker:' .. job.worker, job.id)
  end
  call('DEL', W .. 'artifacts:' .. job.id, record_key(job.id), details_key(job.id))
  known_jobs[job.id] = false
end
