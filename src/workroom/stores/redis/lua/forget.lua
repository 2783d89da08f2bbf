-- needs: leaving forgetting
-- Drops jobs that ended long ago, with all that is on record of them.
local function waste(job)
  for _, packed in ipairs(call('HVALS', W .. 'artifacts:' .. job[AT.id])) do
    call('ZADD', W .. 'waste', 0, cmsgpack.unpack(packed)[2])
  end
  local preview = call('HGET', details_key(job[AT.id]), 'preview')
  if preview then
    call('ZADD', W .. 'waste', 0, cmsgpack.unpack(preview)[3])
  end
end

forget_before(args.before)
for _, id in ipairs(args.jobs) do
  local job = find_job(id)
  if may_leave(job) then
    forget_replay(job[AT.id], job[AT.retry_of])
    call('HINCRBY', W .. 'usage:' .. job[AT.ext], job[AT.status], -1)
    waste(job)
    leave(job)
  end
end
return answer(true)
