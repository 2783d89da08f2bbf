-- needs: enqueuing
-- Give pending jobs each other's places in the queue, so that they start in another order.

-- Whether the job has a place, or why not. One that was submitted to a paused group takes its place now.
local function refusal_of(job)
  if not job then
    return {'job_not_found'}
  elseif job[JOB.status] ~= 'pending' then
    return {'already_ended', job[JOB.status]}
  elseif not job[JOB.is_postponed] then
    return false
  end
  local record = waits.find(job[JOB.id])
  if record[POSTPONED.is_placed] then
    return false
  elseif not record[POSTPONED.is_paused] or record[POSTPONED.run_us] or record[POSTPONED.blockers] > 0 then
    return {'not_queued'}
  end
  record[POSTPONED.is_placed] = true
  job[JOB.tag] = next_tag(job[JOB.rank], job[JOB.user])
  waits.save(job, record)
  return false
end

local function is_earlier(one, other)
  for index = 1, 3 do
    if one[index] ~= other[index] then
      return one[index] < other[index]
    end
  end
  return false
end

local found, places, queued = {}, {}, {}
for _, id in ipairs(args.jobs) do
  local job = find_job(id)
  local refusal = refusal_of(job)
  append(step.answers, refusal)
  if not refusal then
    append(found, job)
    append(places, {job[JOB.rank], job[JOB.tag], job[JOB.aged_us]})
  end
end
table.sort(places, is_earlier)

for index, job in ipairs(found) do
  queued[index] = not job[JOB.is_postponed] and not job[JOB.due_us]
  if queued[index] then
    dequeue(job)
  end
end
for index, job in ipairs(found) do
  job[JOB.rank], job[JOB.tag], job[JOB.aged_us] = unpack(places[index])
  save_job(job)
  call('ZREM', W .. 'aging', age_name(job))
  if queued[index] then
    enqueue(job)
    recheck_lane(job[JOB.extension], job[JOB.lane])
  end
  if job[JOB.rank] > 0 and not job[JOB.is_postponed] then
    call('ZADD', W .. 'aging', job[JOB.aged_us], age_name(job))
  end
end
save_shares()
return reply_packed(build_step())
