-- needs: read jobs
-- Attempts that changed a room or hold a lock there, and do not run any more.
local found, flat = {}, call('HKEYS', W .. 'job_edits')
table.sort(flat)
for _, name in ipairs(flat) do
  local room, id, attempt = name:match('^([^' .. SEP .. ']*)' .. SEP .. '([^' .. SEP .. ']*)' .. SEP .. '(.*)$')
  local job = find_job(id)
  local is_running = job and job[JOB.status] == 'running' and job[JOB.attempt] == tonumber(attempt)
  if not is_running and #found < args.limit then
    append(found, {room, id, tonumber(attempt)})
  end
end
return cmsgpack.pack(found)
