-- needs: writing lanes
-- Collects the changes of one step: transitions get their numbers here, lanes and extensions their due.
local step = {
  answers = {}, transitions = {}, released = {}, revoked = {}, arrivals = {}, removed = {}, offline = {},
  known = {}, rooms = {}, said = {},
}
local touched, counts, last_event = {}, {}, nil

local function number_event()
  last_event = (last_event or tonumber(call('HGET', W .. 'meta', 'event') or 0)) + 1
  return last_event
end

-- A job moves on, and is saved as it is now. The log and the answer get the same bytes.
local function move(job, status, worker, actor, reason)
  local sequence = number_event()
  job[AT.version], job[AT.status] = job[AT.version] + 1, status
  append(job, sequence)
  save_job(job)
  local transition = cmsgpack.pack({
    sequence, job[AT.id], job[AT.room], job[AT.user], job[AT.version], status, job[AT.attempt], worker or false, actor,
    reason or false, NOW,
  })
  call('XADD', W .. 'log:' .. job[AT.room], string.format('%d-0', sequence), '', transition)
  append(step.transitions, transition)
end

local function say(room, user, text, job_id)
  local sequence = call('HINCRBY', W .. 'meta', 'chat', 1)
  call('XADD', W .. 'chat:' .. room, sequence .. '-0', 'u', user, 't', text, 'j', job_id or '', 'a', NOW)
  append(step.said, {sequence, room, user, text, job_id or false, NOW})
  return sequence
end

-- Jobs of the extension may be handed out that could not be before.
local function arrive(id, jobs)
  step.arrivals[id] = (step.arrivals[id] or 0) + (jobs or 1)
end

-- The lane has gained or lost a job or an attempt: see at the end who may go next.
local function touch(id, lane)
  if lane then
    touched[id .. SEP .. lane] = {id, lane}
  end
end

-- Remote extensions leave once nobody offers them and nothing of theirs is unfinished.
local function retire(ids)
  flush()
  for id in pairs(ids) do
    local extension = extension_of(id)
    if extension.active and extension.runner == 'remote' and call('SCARD', W .. 'offered:' .. id) == 0
      and not is_unfinished(id) then
      call('HSET', extension.key, 'active', 0)
      extension.active = false
      append(step.removed, extension.where)
    end
  end
end

-- What has changed, packed.
local function close()
  flush()
  write_jobs()
  for name, count in pairs(counts) do
    call('HINCRBY', W .. 'usage:' .. name:match('^%d+'), name:match('%a+$'), count)
  end
  if last_event then
    call('HSET', W .. 'meta', 'event', last_event)
  end
  for _, lane in pairs(touched) do
    local added = rebalance(lane[1], lane[2])
    if added > 0 then
      arrive(lane[1], added)
    end
  end
  local arrivals = {}
  for id, jobs in pairs(step.arrivals) do
    append(arrivals, {tonumber(id), jobs})
  end
  return pack_with({
    step.answers, step.released, step.revoked, arrivals, step.removed, step.offline, step.known, step.rooms, step.said,
  }, list_of(step.transitions))
end
