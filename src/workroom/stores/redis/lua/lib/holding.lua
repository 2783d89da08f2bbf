-- needs: attempts
-- A job as somebody who names a fence finds it: {job id, attempt, token}.
local function is_current(job, worker, fence)
  return job[AT.worker] == worker and job[AT.attempt] == fence[2] and job[AT.token] == fence[3]
end

-- Each item begins with a fence.
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
  return {'stale_attempt', job[AT.status]}
end

-- The job whose running attempt this is; without a worker, its token alone tells.
local function running_job(worker, fence)
  local job = find_job(fence[1])
  if not job or not is_current(job, worker or job[AT.worker], fence) or job[AT.status] ~= 'running' then
    return nil, stale(job)
  end
  return job
end
