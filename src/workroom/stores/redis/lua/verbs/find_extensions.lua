-- needs: read extensions jobs recent_ends
-- Extensions with their current counts.
local function numbers(ext)
  local idle, busy = 0, 0
  for _, worker in ipairs(call('SMEMBERS', W .. 'offered:' .. ext)) do
    local slots, online = unpack(call('HMGET', W .. 'worker:' .. worker, 'slots', 'online'))
    if online == '1' then
      local is_idle = call('HLEN', W .. 'held:' .. worker) < tonumber(slots)
      idle, busy = idle + (is_idle and 1 or 0), busy + (is_idle and 0 or 1)
    end
  end
  local pending = call('ZCARD', W .. 'ready:' .. ext) + call('SCARD', W .. 'due:' .. ext)
  for _, lane in ipairs(call('SMEMBERS', W .. 'lanes:' .. ext)) do
    pending = pending + call('ZCARD', W .. 'parked:' .. ext .. ':' .. lane)
  end
  return {idle, busy, pending}
end

-- Numbers of jobs by status.
local function usage(ext)
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

-- The job that failed last. Its time and error are missing once it has left.
local function last_failure(id)
  local job = id and find_job(id)
  if not job then
    return {id or false, false, false}
  end
  return {id, job[JOB.completed_us], call('HGET', details_key(id), 'error')}
end

local function overview(ext)
  local last, failed = unpack(call('HMGET', W .. 'usage:' .. ext, 'last', 'failed_job'))
  return {usage(ext), tonumber(last) or false, recent_ends(ext), last_failure(failed)}
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
    append(found, {
      tonumber(id), extension.where, schema, extension.schema_hash, extension.runner, extension.owner, policy,
      numbers(id), extension.paused, extension.opened or false, args.usage and overview(id) or false,
    })
  end
end
return cmsgpack.pack(found)
