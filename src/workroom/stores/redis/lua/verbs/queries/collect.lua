-- needs: read jobs
-- What belongs to jobs beside their records: details, files, transitions.
local found = {}
for _, id in ipairs(args.ids) do
  local job, transitions = find_job(id), {}
  for _, sequence in ipairs(job and events_of(job) or {}) do
    local entry = call('XRANGE', W .. 'log:' .. job[JOB.room], sequence .. '-0', sequence .. '-0')[1]
    append(transitions, entry and entry[2][2])
  end
  append(found, {call('HGETALL', details_key(id)), call('HGETALL', W .. 'artifacts:' .. id), transitions})
end
return cmsgpack.pack(found)
