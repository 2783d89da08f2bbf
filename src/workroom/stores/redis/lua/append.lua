-- needs: holding
-- The latest progress of running attempts.
for _, record in ipairs(args.records) do
  local job, refusal = running_job(args.worker, record[1])
  if job then
    call('HSET', details_key(job[AT.id]), 'progress', record[2])
    append(step.rooms, {job[AT.id], job[AT.room]})
  end
  append(step.answers, refusal or false)
end
return answer_packed(close())
