-- needs: step_builder rules/postponing
-- Jobs that are not in the queue yet. What they wait for is in their details.
local waits = {}

function waits.find(id)
  local packed = call('HGET', details_key(id), 'postponed')
  return packed and cmsgpack.unpack(packed)
end

function waits.record(run, blockers, is_paused, is_placed, has_refs)
  local record = blank_postponed()
  record[POSTPONED.has_refs] = has_refs or false
  record[POSTPONED.run_us], record[POSTPONED.blockers] = run or false, blockers
  record[POSTPONED.is_paused], record[POSTPONED.is_placed] = is_paused, is_placed
  return record
end

-- A job that is taken out of the queue, or out of its backoff, until its group is resumed. It keeps its place.
function waits.paused(due)
  return waits.record(due, 0, true, true)
end

function waits.enqueues_us(record)
  return postponing.enqueues_us(
    NOW, record[POSTPONED.run_us], record[POSTPONED.blockers], record[POSTPONED.is_paused])
end

-- Save what the job waits for, and when it is enqueued if that is known.
function waits.save(job, record)
  local due = waits.enqueues_us(record)
  call('HSET', details_key(job[JOB.id]), 'postponed', cmsgpack.pack(record))
  if due then
    call('ZADD', W .. 'postponed', due, age_name(job))
    wake_in((due - NOW) / 1000000)
  else
    call('ZREM', W .. 'postponed', age_name(job))
  end
end

function waits.add(job, record)
  job[JOB.is_postponed] = true
  save_job(job)
  call('SADD', W .. 'due:' .. job[JOB.extension], job[JOB.id])
  waits.save(job, record)
end

function waits.finish(job)
  job[JOB.is_postponed] = false
  save_job(job)
  call('SREM', W .. 'due:' .. job[JOB.extension], job[JOB.id])
  call('ZREM', W .. 'postponed', age_name(job))
  call('HDEL', details_key(job[JOB.id]), 'postponed')
  call('DEL', W .. 'blockers:' .. job[JOB.id])
end
