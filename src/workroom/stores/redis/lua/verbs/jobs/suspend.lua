-- needs: fences
-- Record what running attempts wait for, or that they no longer wait.
for _, item in ipairs(args.items) do
  local fence, waits = item[1], item[2]
  local job, refusal = running_job(args.worker, fence)
  local record = job and find_attempt(args.worker, fence[1], fence[2])
  if record then
    record[ATTEMPT.waits] = waits
    save_attempt(args.worker, fence[1], fence[2], record)
    append(step.rooms, {fence[1], job[JOB.room]})
    call(waits and 'SADD' or 'SREM', W .. 'suspended:' .. args.worker, name_of(fence[1], fence[2]))
  end
  append(step.answers, refusal or false)
end
return reply_packed(build_step())
