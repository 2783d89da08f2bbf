-- needs: deferred_writes lanes usage recent_ends group_counts rules/departure
-- Collects the changes of one step, as StepBuilder does in the SQLite store.
local step = {
  answers = {}, transitions = {}, released = {}, revoked = {}, arrivals = {}, departed = {}, removed = {},
  offline = {},
  known = {}, rooms = {}, chat = {}, to_fill = {},
}
local touched, ends, last_event = {}, {}, nil
local unfinished = {} -- change in unfinished jobs, by user and room

-- Ask for a sweep after these seconds; the soonest counts.
local function wake_in(seconds)
  if not step.wake or seconds < step.wake then
    step.wake = seconds
  end
end

local function number_event()
  last_event = (last_event or tonumber(call('HGET', W .. 'meta', 'event') or 0)) + 1
  return last_event
end

local function count_unfinished(job, more)
  local whose = job[JOB.user] .. SEP .. job[JOB.room]
  unfinished[whose] = (unfinished[whose] or 0) + more
end

-- Add the end of a job to the usage of its extension.
local function count_end(job, status)
  local id = job[JOB.extension]
  local ended = ends[id] or {counts = {}, recent = {}}
  ends[id] = ended
  ended.counts[status] = (ended.counts[status] or 0) + 1
  append(ended.recent, recent_end(status, job[JOB.created_us], job[JOB.started_us], NOW))
  if status == 'failed' then
    ended.failed = job[JOB.id]
  end
end

-- Change the status of a job, and save it. The log and the reply get the same bytes.
local function record_transition(job, status, worker, actor, reason)
  local sequence, before = number_event(), job[JOB.status]
  job[JOB.version], job[JOB.status] = job[JOB.version] + 1, status
  append(job, sequence)
  save_job(job)
  if job[JOB.version] == 1 then
    count_unfinished(job, 1)
  elseif TERMINAL[status] then
    count_unfinished(job, -1)
    if job[JOB.group] or job[JOB.is_followed] then
      append(links.ended, job)
    end
  end
  if job[JOB.group] then
    links.count(job, before, status)
  end
  local started_us = status == 'running' and NOW or (TERMINAL[status] and job[JOB.started_us])
  local transition = cmsgpack.pack({
    sequence, job[JOB.id], job[JOB.room], job[JOB.user], job[JOB.version], status, job[JOB.attempt],
    worker or false, actor, reason or false, NOW, job[JOB.created_us], started_us or false,
  })
  call('XADD', W .. 'log:' .. job[JOB.room], string.format('%d-0', sequence), '', transition)
  append(step.transitions, transition)
end

local function post_chat(room, user, text, job_id, by_job)
  local sequence = call('HINCRBY', W .. 'meta', 'chat', 1)
  local fields = {'u', user, 't', text, 'j', job_id or '', 'a', NOW, 'b', by_job or ''}
  call('XADD', W .. 'chat:' .. room, sequence .. '-0', unpack(fields))
  append(step.chat, {sequence, room, user, text, job_id or false, NOW, by_job or false})
  return sequence
end

-- Count jobs of the extension that became ready.
local function arrive(id, jobs)
  step.arrivals[id] = (step.arrivals[id] or 0) + (jobs or 1)
end

-- Rebalance the lane at the end, because it gained or lost a job or an attempt.
local function recheck_lane(id, lane)
  if lane then
    touched[id .. SEP .. lane] = {id, lane}
  end
end

local function is_offered(id)
  return call('SCARD', W .. 'offered:' .. id) > 0
end

-- Note which of these extensions no worker offers any more, and when they leave.
local function depart(ids, linger, is_withdrawn)
  for id in pairs(ids) do
    local extension = extension_of(id)
    if extension.active and extension.runner == 'remote' and not is_offered(id) then
      extension.left, extension.leaves = NOW, departure.leaves_us(NOW, linger, is_withdrawn)
      call('HSET', extension.key, 'left', extension.left, 'leaves', extension.leaves)
      call('ZADD', W .. 'departed', extension.leaves, id)
      append(step.departed, extension.where)
    end
  end
end

-- Deactivate those of these extensions that departed, have lingered and have no unfinished job.
local function retire(ids)
  flush()
  for id in pairs(ids) do
    local extension = extension_of(id)
    if extension.active and extension.leaves
      and departure.is_over(extension.leaves, NOW, is_offered(id), is_unfinished(id)) then
      call('HSET', extension.key, 'active', 0)
      clear_departure(extension)
      extension.active = false
      append(step.removed, extension.where)
    end
  end
end

-- Write the deferred changes, and return the step, packed.
local function build_step()
  if links.ended[1] then
    links.follow_ends()
  end
  flush()
  write_jobs()
  for id, ended in pairs(ends) do
    for status, count in pairs(ended.counts) do
      call('HINCRBY', W .. 'usage:' .. id, status, count)
    end
    if ended.failed then
      call('HSET', W .. 'usage:' .. id, 'failed_job', ended.failed)
    end
    keep_recent(id, ended.recent)
  end
  for whose, more in pairs(unfinished) do
    local user, room = whose:match('^(.*)' .. SEP .. '(.*)$')
    charge('jobs', user, room, more)
  end
  if last_event then
    call('HSET', W .. 'meta', 'event', last_event)
  end
  for _, lane in pairs(touched) do
    local added, opens = rebalance(lane[1], lane[2])
    if opens then
      wake_in(opens)
    end
    if added > 0 then
      arrive(lane[1], added)
    end
  end
  local arrivals = {}
  for id, jobs in pairs(step.arrivals) do
    append(arrivals, {tonumber(id), jobs})
  end
  return pack_with({
    step.answers, step.released, step.revoked, arrivals, step.departed, step.removed, step.offline, step.known,
    step.rooms, step.chat, (next(links.grown) or next(links.changed)) and links.write_all() or {}, step.to_fill, step.wake or false,
  }, list_of(step.transitions))
end
