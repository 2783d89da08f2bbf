-- needs: attempts
-- Checks of fences: {job id, attempt, token}.
local function is_current(job, worker, fence)
  return job[JOB.worker] == worker and job[JOB.attempt] == fence[2] and job[JOB.token] == fence[3]
end

-- Read the jobs and attempts of items that begin with a fence.
local function read_fenced(worker, items)
  local ids, names = {}, {}
  for index, item in ipairs(items) do
    ids[index], names[index] = item[1][1], name_of(item[1][1], item[1][2])
  end
  read_jobs(ids)
  read_attempts(worker, names)
end

local function stale(job)
  if not job then
    return {'job_not_found'}
  end
  return {'stale_attempt', job[JOB.status]}
end

-- The job of a running attempt. Without a worker, the token alone identifies it.
local function running_job(worker, fence)
  local job = find_job(fence[1])
  if not job or not is_current(job, worker or job[JOB.worker], fence) or job[JOB.status] ~= 'running' then
    return nil, stale(job)
  end
  return job
end
