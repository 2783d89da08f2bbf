-- needs: cancelling
-- Carries out what is wanted of a group, for some of its jobs in each sweep.
links.actions = {}

function links.actions.cancel(job, actor, reason)
  cancel_job(job[JOB.id], actor, reason)
end

function links.actions.pause(job)
  if job[JOB.status] ~= 'pending' then
    return
  end
  if job[JOB.is_postponed] then
    local record = waits.find(job[JOB.id])
    record[POSTPONED.is_paused] = true
    return waits.save(job, record)
  end
  local due = job[JOB.due_us]
  leave_queue(job)
  waits.add(job, waits.paused(due))
  recheck_lane(job[JOB.extension], job[JOB.lane])
end

function links.actions.resume(job)
  local record = job[JOB.is_postponed] and waits.find(job[JOB.id])
  if record and record[POSTPONED.is_paused] then
    record[POSTPONED.is_paused] = false
    waits.enqueue_when_due(job, record)
  end
end

function links.change_some(id, change, actor, reason)
  local changed_to = call('HGET', links.key(id), 'changed_to')
  local members = call('ZRANGEBYSCORE', W .. 'jobs:group:' .. id, '(' .. changed_to, '+inf', 'LIMIT', 0, CHANGE_BATCH)
  for _, member in ipairs(members) do
    local job = find_job(member) -- one by one: what this sweep has changed is not written yet
    if not TERMINAL[job[JOB.status]] then
      links.actions[change](job, actor, reason)
    end
  end
  retire(ended)
  if #members == CHANGE_BATCH then
    call('HSET', links.key(id), 'changed_to', find_job(members[#members])[JOB.sequence])
  else
    call('HDEL', links.key(id), 'change')
    call('ZREM', W .. 'changing_groups', id)
    links.changed[id] = true
  end
end

function links.carry_on()
  local id = call('ZRANGE', W .. 'changing_groups', 0, 0)[1]
  if id then
    links.change_some(id, unpack(call('HMGET', links.key(id), 'change', 'actor', 'reason')))
    save_shares()
    wake_in(0)
  end
end
