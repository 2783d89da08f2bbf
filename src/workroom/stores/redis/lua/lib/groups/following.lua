-- needs: job_ends enqueuing rules/following rules/grouping
-- What follows the end of a job that belongs to a group, or that other jobs wait for.
function links.is_group(id)
  return id:sub(1, #GROUP_PREFIX) == GROUP_PREFIX
end

-- How a group has ended as a whole; nil if it has not.
function links.end_of_group(id)
  local open, retried, pending, assigned, running, completed, failed, cancelled = unpack(call('HMGET', links.key(id),
    'is_open', 'retried', 'pending', 'assigned', 'running', 'completed', 'failed', 'cancelled'))
  completed, failed, cancelled = tonumber(completed or 0), tonumber(failed or 0), tonumber(cancelled or 0)
  local ended = completed + failed + cancelled
  local total = ended + tonumber(pending or 0) + tonumber(assigned or 0) + tonumber(running or 0)
  if grouping.is_over(total, ended, open == '1') then
    return following.group_end(failed, cancelled, tonumber(retried or 0))
  end
end

function links.followup_key(before)
  return W .. 'followup:' .. before
end

function links.add_followup(before, status)
  if call('SETNX', links.followup_key(before), cmsgpack.pack({status, 0})) == 1 then
    call('RPUSH', W .. 'followups', before)
  end
end

-- Note whether a group is over. Its counts are written.
function links.conclude_group(id)
  local status = links.end_of_group(id)
  links.changed[id] = true
  if status then
    call('HSET', links.key(id), 'ended', NOW)
    if call('HGET', links.key(id), 'is_followed') == '1' then
      links.add_followup(id, status)
    end
  end
end

function links.note_ends()
  local ended, groups = links.ended, {}
  links.ended = {}
  for _, job in ipairs(ended) do
    if job[JOB.is_followed] then
      links.add_followup(job[JOB.id], job[JOB.status])
    end
    if job[JOB.group] then
      call('RPUSH', W .. 'group_ends:' .. job[JOB.group], job[JOB.id])
      groups[job[JOB.group]] = true
    end
  end
  for id in pairs(groups) do
    links.write(id)
    links.conclude_group(id)
  end
end

-- Cancel a postponed job.
function links.skip(job, reason)
  end_job(job, 'cancelled', false, SKIPPER, reason)
  recheck_lane(job[JOB.extension], job[JOB.lane])
end

-- A job that was cancelled meanwhile waits for nothing.
function links.follow(id, before, status, on_end)
  local job = find_job(id)
  if not job or call('SREM', W .. 'blockers:' .. id, before) == 0 then
    return
  end
  if following.follow(status, on_end) == 'skip' then
    return links.skip(job, following.skip_reason(before, status, links.is_group(before)))
  end
  local record = waits.find(id)
  record[POSTPONED.blockers] = record[POSTPONED.blockers] - 1
  waits.enqueue_when_due(job, record)
end

-- Update some jobs that wait for something that has ended. Returns how many there were.
function links.follow_some(before, budget)
  local status, followed = unpack(cmsgpack.unpack(call('GET', links.followup_key(before))))
  local names = call('LRANGE', W .. 'followers:' .. before, followed, followed + budget - 1)
  for _, name in ipairs(names) do
    links.follow(name:sub(2), before, status, name:sub(1, 1) == '+')
  end
  if #names < budget then
    call('LPOP', W .. 'followups')
    call('DEL', links.followup_key(before))
  else
    call('SET', links.followup_key(before), cmsgpack.pack({status, followed + #names}))
  end
  return #names
end

-- A step updates some of the jobs that wait; sweeps do the rest.
function links.follow_up()
  local budget = FOLLOW_BATCH
  local before = call('LINDEX', W .. 'followups', 0)
  while before and budget > 0 do
    budget = budget - 1 - links.follow_some(before, budget)
    links.note_ends() -- skipped jobs have ended, too
    before = call('LINDEX', W .. 'followups', 0)
  end
  if before then
    wake_in(0)
  end
  save_shares()
end

function links.follow_ends()
  links.note_ends()
  links.follow_up()
end
