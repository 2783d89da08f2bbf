-- needs: departures retention blobs
-- Delete jobs that ended long ago.
local function orphan_files(job)
  for _, packed in ipairs(call('HVALS', W .. 'artifacts:' .. job[JOB.id])) do
    orphan(cmsgpack.unpack(packed)[2])
  end
  local preview = call('HGET', details_key(job[JOB.id]), 'preview')
  if preview then
    orphan(cmsgpack.unpack(preview)[3])
  end
end

forget_before(args.before)
for _, id in ipairs(args.jobs) do
  local job = find_job(id)
  if may_depart(job) then
    forget_replay(job[JOB.id], job[JOB.retry_of])
    call('HINCRBY', W .. 'usage:' .. job[JOB.extension], job[JOB.status], -1)
    orphan_files(job)
    delete_job(job)
    forget_member(job[JOB.group])
  end
end
return reply_with(true)
