-- needs: read extensions jobs
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
  local kept, found = call('HGETALL', W .. 'usage:' .. ext), {}
  for status, count in pairs(counts) do
    append(found, {status, count})
  end
  for index = 1, #kept, 2 do
    append(found, {kept[index], tonumber(kept[index + 1])})
  end
  return found
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
      numbers(id), extension.paused, extension.opened or false,
      extension.left or false, args.usage and usage(id) or false,
    })
  end
end
return cmsgpack.pack(found)
