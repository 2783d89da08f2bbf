-- needs: read jobs extensions
-- Jobs that ended before a time and take up no worker, with the forms that still show their values.
local function is_held(job)
  for attempt = 1, job[AT.attempt] do
    if call('SISMEMBER', W .. 'attempts:' .. job[AT.ext], job[AT.id] .. ':' .. attempt) == 1 then
      return true
    end
  end
  return false
end

local found = {}
for _, id in ipairs(call('ZRANGEBYSCORE', W .. 'ended', '-inf', '(' .. args.before, 'LIMIT', 0, args.look)) do
  local job = find_job(id)
  if not is_held(job) then
    local extension = extension_of(job[AT.ext])
    local form = table.concat({job[AT.room], extension.category, extension.name}, SEP)
    local shows = call('HGET', W .. 'forms:' .. job[AT.user], form) == id
    append(found, {id, job[AT.room], job[AT.user], extension.category, extension.name, shows})
    if #found >= args.limit then
      break
    end
  end
end
return cmsgpack.pack(found)
