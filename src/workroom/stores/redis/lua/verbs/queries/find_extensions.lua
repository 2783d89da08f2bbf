-- needs: read extensions jobs recent_ends
-- Extensions with their current counts.

-- Jobs that have a place in their lane and wait for the rate.
local function count_paced(ext)
  local count = call('ZCARD', W .. 'paced:' .. ext .. ':')
  for _, lane in ipairs(call('SMEMBERS', W .. 'lanes:' .. ext)) do
    count = count + (lane ~= '' and call('ZCARD', W .. 'paced:' .. ext .. ':' .. lane) or 0)
  end
  return count
end

local function numbers(ext)
  local idle, busy = 0, 0
  for _, worker in ipairs(call('SMEMBERS', W .. 'offered:' .. ext)) do
    local slots, online = unpack(call('HMGET', W .. 'worker:' .. worker, 'slots', 'online'))
    if online == '1' then
      local is_idle = call('HLEN', W .. 'held:' .. worker) - call('SCARD', W .. 'suspended:' .. worker) < tonumber(slots)
      idle, busy = idle + (is_idle and 1 or 0), busy + (is_idle and 0 or 1)
    end
  end
  local pending = call('ZCARD', W .. 'ready:' .. ext) + call('SCARD', W .. 'due:' .. ext)
  for _, lane in ipairs(call('SMEMBERS', W .. 'lanes:' .. ext)) do
    pending = pending + call('ZCARD', W .. 'parked:' .. ext .. ':' .. lane)
  end
  if policy_value(extension_of(ext), 'rate') or next(policy_value(extension_of(ext), 'rates') or {}) then
    pending = pending + count_paced(ext)
  end
  return idle, busy, pending
end

-- Numbers of jobs by status, without those that are pending.
local function count_jobs(ext)
  local counts = {}
  for _, name in ipairs(call('SMEMBERS', W .. 'attempts:' .. ext)) do
    local id, attempt = name:match('^(.*):(%d+)$')
    local job = find_job(id)
    if (job[JOB.status] == 'assigned' or job[JOB.status] == 'running') and job[JOB.attempt] == tonumber(attempt) then
      counts[job[JOB.status]] = (counts[job[JOB.status]] or 0) + 1
    end
  end
  local found = {}
  for status, count in pairs(counts) do
    append(found, {status, count})
  end
  for status in pairs(TERMINAL) do
    append(found, {status, tonumber(call('HGET', W .. 'usage:' .. ext, status) or 0)})
  end
  return found
end

-- The time and error of the job that failed last are missing once it has left.
local function usage(ext)
  local last, failed_job = unpack(call('HMGET', W .. 'usage:' .. ext, 'last', 'failed_job'))
  local failed = failed_job and find_job(failed_job)
  return row_of(USAGE_ROW, {
    jobs = count_jobs(ext), last = tonumber(last), recent = recent_ends(ext), failed_job = failed_job,
    failed_us = failed and failed[JOB.completed_us],
    error = failed and call('HGET', details_key(failed_job), 'error'),
  })
end

local ids = {}
if args.rooms then
  for _, room in ipairs(args.rooms) do
    for _, id in ipairs(call('SMEMBERS', W .. 'exts:' .. room)) do
      append(ids, id)
    end
  end
else
  ids = call('HVALS', W .. 'exts')
end
local found = {}
for _, id in ipairs(ids) do
  local extension = extension_of(id)
  if extension.active then
    local schema, policy = unpack(call('HMGET', extension.key, 'schema', 'policy'))
    local idle, busy, pending = numbers(id)
    append(found, row_of(EXTENSION_ROW, {
      id = tonumber(id), key = extension.where, schema = schema, schema_hash = extension.schema_hash,
      runner = extension.runner, owner = extension.owner, policy = policy, idle = idle, busy = busy,
      pending = pending, paused = extension.paused, opened = extension.opened, left = extension.left,
      usage = args.usage and usage(id),
    }))
  end
end
return cmsgpack.pack(found)
