-- needs: ending
-- Jobs leave that are over and take up no worker. Their rooms have let go of them before.
local function may_leave(job)
  if not job or not TERMINAL[job[AT.status]] then
    return false
  end
  for attempt = 1, job[AT.attempt] do
    if call('SISMEMBER', W .. 'attempts:' .. job[AT.ext], name_of(job[AT.id], attempt)) == 1 then
      return false
    end
  end
  return true
end

-- A form that shows the values of the job finds them in its room from now on.
local function leave_form(job)
  local extension = extension_of(job[AT.ext])
  local forms = W .. 'forms:' .. job[AT.user]
  local form = table.concat({job[AT.room], extension.category, extension.name}, SEP)
  if call('HGET', forms, form) == job[AT.id] then
    call('HSET', forms, form, '')
  end
end

local function leave(job)
  leave_form(job)
  for _, sequence in ipairs(events_of(job)) do
    call('XDEL', W .. 'log:' .. job[AT.room], sequence .. '-0')
  end
  if job[AT.chat] then
    call('XDEL', W .. 'chat:' .. job[AT.room], job[AT.chat] .. '-0')
  end
  for _, key in ipairs({'jobs', 'jobs:room:' .. job[AT.room], 'jobs:user:' .. job[AT.user], 'ended'}) do
    call('ZREM', W .. key, job[AT.id])
  end
  if job[AT.worker] then
    call('ZREM', W .. 'jobs:worker:' .. job[AT.worker], job[AT.id])
  end
  call('DEL', W .. 'artifacts:' .. job[AT.id], record_key(job[AT.id]), details_key(job[AT.id]))
  known_jobs[job[AT.id]] = false
end
