-- needs: step jobs
-- Counts the jobs of groups by state. A step without a job of a group reads and writes nothing here. `ended` are jobs
-- that belong to a group or that others wait for; `follow_ends` is in following.lua, for every script that ends jobs.
-- The functions are in a table, because a script may have 200 local variables at most.
local links = {grown = {}, changed = {}, ended = {}}

function links.key(id)
  return W .. 'group:' .. id
end

function links.count(job, before, status)
  local counts = links.grown[job[JOB.group]] or {}
  links.grown[job[JOB.group]] = counts
  counts[status] = (counts[status] or 0) + 1
  if before then
    counts[before] = (counts[before] or 0) - 1
  end
  if not before or TERMINAL[status] then
    links.changed[job[JOB.group]] = true
  end
end

function links.write(id)
  for status, more in pairs(links.grown[id] or {}) do
    if more ~= 0 then
      call('HINCRBY', links.key(id), status, more)
    end
  end
  links.grown[id] = nil
end

-- Write the counts. Returns the groups whose readers should read them again.
function links.write_all()
  for id in pairs(links.grown) do
    links.write(id)
  end
  local changed = {}
  for id in pairs(links.changed) do
    local version = call('HINCRBY', links.key(id), 'version', 1)
    append(changed, {id, call('HGET', links.key(id), 'room'), version})
  end
  return changed
end
