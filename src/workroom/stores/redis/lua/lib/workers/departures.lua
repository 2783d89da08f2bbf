-- needs: endings
-- Deletes ended jobs that occupy no worker. Their values were deleted before.
local function may_depart(job)
  if not job or not TERMINAL[job[JOB.status]] then
    return false
  end
  if job[JOB.is_followed] and call('EXISTS', links.followup_key(job[JOB.id])) == 1 then
    return false
  end
  for attempt = 1, job[JOB.attempt] do
    if call('SISMEMBER', W .. 'attempts:' .. job[JOB.extension], name_of(job[JOB.id], attempt)) == 1 then
      return false
    end
  end
  return true
end

-- Let the form of the job read its values from the room.
local function release_form(job)
  local extension = extension_of(job[JOB.extension])
  local forms = W .. 'forms:' .. job[JOB.user]
  local form = table.concat({job[JOB.room], extension.category, extension.name}, SEP)
  if call('HGET', forms, form) == job[JOB.id] then
    call('HSET', forms, form, '')
  end
end

local function delete_job(job)
  release_form(job)
  for _, sequence in ipairs(events_of(job)) do
    call('XDEL', W .. 'log:' .. job[JOB.room], sequence .. '-0')
  end
  if job[JOB.chat_message] then
    call('XDEL', W .. 'chat:' .. job[JOB.room], job[JOB.chat_message] .. '-0')
  end
  local room = job[JOB.room]
  for _, key in ipairs({'jobs', 'jobs:room:' .. room, 'jobs:user:' .. job[JOB.user], 'ended', 'annotated:' .. room,
    'questions:' .. room, 'questions'}) do
    call('ZREM', W .. key, job[JOB.id])
  end
  if job[JOB.parent] then
    call('ZREM', W .. 'children:' .. job[JOB.parent], job[JOB.id])
  end
  if job[JOB.worker] then
    call('ZREM', W .. 'jobs:worker:' .. job[JOB.worker], job[JOB.id])
  end
  if job[JOB.group] then
    call('ZREM', W .. 'jobs:group:' .. job[JOB.group], job[JOB.id])
  end
  if job[JOB.is_followed] then
    call('DEL', W .. 'followers:' .. job[JOB.id])
  end
  call('DEL', W .. 'artifacts:' .. job[JOB.id], W .. 'arrows:' .. job[JOB.id], record_key(job[JOB.id]),
    details_key(job[JOB.id]))
  known_jobs[job[JOB.id]] = false
end
