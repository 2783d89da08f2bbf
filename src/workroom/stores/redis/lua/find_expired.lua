-- needs: read jobs extensions
-- Jobs that ended before a time and take up no worker, with the forms that still show their values.
local found = {}
for _, id in ipairs(call('ZRANGEBYSCORE', W .. 'ended', '-inf', '(' .. args.before, 'LIMIT', 0, args.limit)) do
  local job = find_job(id)
  local is_held = false
  for attempt = 1, job.attempt do
    is_held = is_held or call('SISMEMBER', W .. 'attempts:' .. job.ext, id .. ':' .. attempt) == 1
  end
  if not is_held then
    local extension = extension_of(job.ext)
    local form = table.concat({job.room, extension.category, extension.name}, SEP)
    local shows = call('HGET', W .. 'forms:' .. job.user, form) == id
    append(found, {id, job.room, job.user, extension.category, extension.name, shows})
  end
end
return cmsgpack.pack(found)
