-- needs: step jobs
-- Save what people wrote about jobs, each unless a newer version is on record.
local saved = {}
for _, each in ipairs(args.annotations) do
  local id, version, document = unpack(each)
  local job, outcome = find_job(id), 'missing'
  if job then
    local before = call('HGET', details_key(id), 'annotation')
    outcome = 'outdated'
    if version > (before and cjson.decode(before).version or 0) then
      call('HSET', details_key(id), 'annotation', document)
      call('ZADD', W .. 'annotated:' .. job[JOB.room], job[JOB.sequence], id)
      outcome = 'saved'
    end
  end
  append(saved, outcome)
end
return reply_with(saved)
