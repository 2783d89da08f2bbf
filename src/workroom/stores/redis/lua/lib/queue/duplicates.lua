-- needs: step extensions jobs rules/unique
-- The last job of each unique key: its id and when it was submitted. A key is kept while its job is unfinished and, if
-- the extension has a window, until the window of a completed job is over.
local duplicates = {}
local COUNTED_STATES = {'pending', 'assigned', 'running', 'completed'} -- if the policy was saved without them

function duplicates.unique_name(ext, room, key)
  return W .. 'unique:' .. ext .. ':' .. room .. ':' .. key
end

function duplicates.within_us(extension)
  return (policy_value(extension, 'unique_within') or 0) * 1000000
end

function duplicates.keep(job)
  known_jobs[job[JOB.id]] = job
  local name = duplicates.unique_name(job[JOB.extension], job[JOB.room], job[JOB.unique])
  call('SET', name, job[JOB.id] .. SEP .. string.format('%.0f', job[JOB.created_us]))
end

function duplicates.free(job, status)
  local name = duplicates.unique_name(job[JOB.extension], job[JOB.room], job[JOB.unique])
  local found = call('GET', name)
  if not found or found:match('^(.-)' .. SEP) ~= job[JOB.id] then
    return -- a later job has the key
  end
  local window = duplicates.within_us(extension_of(job[JOB.extension]))
  if status == 'completed' and window > 0 then
    call('EXPIRE', name, math.ceil(window / 1000000))
  else
    call('DEL', name)
  end
end

-- The id of the last job with this key, and what becomes of a new one. A job that has left Redis was completed.
function duplicates.compare(ext, room, key)
  local found = call('GET', duplicates.unique_name(ext, room, key))
  if not found then
    return nil, 'take'
  end
  local id, created = found:match('^(.-)' .. SEP .. '(%d+)$')
  local job = find_job(id)
  if not job and call('EXISTS', W .. 'moved:' .. id) == 0 then
    return nil, 'take'
  end
  local extension = extension_of(ext)
  local is_recent = NOW < tonumber(created) + duplicates.within_us(extension)
  local status = job and job[JOB.status] or 'completed'
  local states = policy_value(extension, 'unique_states') or COUNTED_STATES
  return id, unique.decide(policy_value(extension, 'on_duplicate'), status, is_recent, states)
end
