-- needs: read jobs extensions
-- Jobs that ended before a time and occupy no worker, and whether a form reads their values.
local function is_held(job)
  if job[JOB.is_followed] and call('EXISTS', W .. 'followup:' .. job[JOB.id]) == 1 then
    return true
  end
  for attempt = 1, job[JOB.attempt] do
    if call('SISMEMBER', W .. 'attempts:' .. job[JOB.extension], job[JOB.id] .. ':' .. attempt) == 1 then
      return true
    end
  end
  return false
end

local found = {}
for _, id in ipairs(call('ZRANGEBYSCORE', W .. 'ended', '-inf', '(' .. args.before, 'LIMIT', 0, args.scan)) do
  local job = find_job(id)
  if not is_held(job) then
    local extension = extension_of(job[JOB.extension])
    local form = table.concat({job[JOB.room], extension.category, extension.name}, SEP)
    local shows = call('HGET', W .. 'forms:' .. job[JOB.user], form) == id
    append(found, {id, job[JOB.room], job[JOB.user], extension.category, extension.name, shows})
    if #found >= args.limit then
      break
    end
  end
end
return cmsgpack.pack(found)
