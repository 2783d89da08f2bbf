-- needs: fences
-- Store the latest progress of running attempts.
for _, record in ipairs(args.records) do
  local job, refusal = running_job(args.worker, record[1])
  if job then
    call('HSET', details_key(job[JOB.id]), 'progress', record[2])
    append(step.rooms, {job[JOB.id], job[JOB.room]})
  end
  append(step.answers, refusal or false)
end
return reply_packed(build_step())
