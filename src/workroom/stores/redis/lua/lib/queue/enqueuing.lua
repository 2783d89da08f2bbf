-- needs: postponed shares
-- Enqueues postponed jobs.

-- The job takes its place in the queue now, unless it had one before.
function waits.enqueue(job, record)
  waits.finish(job)
  if not record[POSTPONED.is_placed] then
    job[JOB.tag] = next_tag(job[JOB.rank], job[JOB.user])
  end
  job[JOB.aged_us] = NOW
  if job[JOB.rank] > 0 then
    call('ZADD', W .. 'aging', NOW, age_name(job))
  end
  enqueue(job)
  recheck_lane(job[JOB.extension], job[JOB.lane])
  if not job[JOB.lane] then
    arrive(job[JOB.extension])
  end
end

-- Let the server fill results into the values of the job. If that is lost, it is offered again.
function waits.offer(job, record)
  waits.save(job, record)
  append(step.to_fill, job[JOB.id])
  call('ZADD', W .. 'postponed', NOW + FILL_US, age_name(job))
end

-- Nothing keeps the job back any more.
function waits.start(job, record)
  if record[POSTPONED.has_refs] then
    waits.offer(job, record)
  else
    waits.enqueue(job, record)
  end
end

-- Start a postponed job if nothing keeps it back, or save what does.
function waits.enqueue_when_due(job, record)
  if waits.enqueues_us(record) == NOW then
    waits.start(job, record)
  else
    waits.save(job, record)
  end
end
