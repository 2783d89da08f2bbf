-- needs: base
-- Job records. Values and results are kept in the slot of the room.
-- A record is a list that is read and written whole; `JOB` has the position of each field (see layouts.py). Missing
-- values are false. A table with named fields would need more memory than one small allocation for each job. The
-- numbers of the job's events come last, from `JOB.events` on.

local function record_key(id)
  return W .. 'job:' .. id
end

-- What only some jobs have: progress, a preview, an error, reports that led to a retry.
local function details_key(id)
  return W .. 'details:' .. id
end

local known_jobs = {} -- false for those that do not exist

-- Read together what a step then needs one by one.
local function read_jobs(ids)
  for first = 1, #ids, 1000 do
    local keys = {}
    for index = first, math.min(first + 999, #ids) do
      append(keys, record_key(ids[index]))
    end
    for index, packed in ipairs(call('MGET', unpack(keys))) do
      known_jobs[ids[first + index - 1]] = packed and cmsgpack.unpack(packed)
    end
  end
end

local function find_job(id)
  if known_jobs[id] == nil then
    read_jobs({id})
  end
  return known_jobs[id]
end

local function events_of(job)
  local found = {}
  for index = JOB.events, #job do
    append(found, job[index])
  end
  return found
end

local changed_jobs, is_changed = {}, {}

-- Write the job at the end of the step, together with others.
local function save_job(job)
  if not is_changed[job] then
    is_changed[job] = true
    append(changed_jobs, job)
  end
end

local function write_jobs()
  for first = 1, #changed_jobs, 1000 do
    local records = {}
    for index = first, math.min(first + 999, #changed_jobs) do
      local job = changed_jobs[index]
      append(records, record_key(job[JOB.id]))
      append(records, cmsgpack.pack(job))
    end
    call('MSET', unpack(records))
  end
end

-- The score and member of a job in the queue: by rank, then fair share, then sequence.
local function queue_entry(job)
  local member = string.format('%012d', job[JOB.sequence]) .. (job[JOB.lane] and '+' or '-') .. job[JOB.id]
  return job[JOB.rank] * 281474976710656 + job[JOB.tag], member
end

local function id_of(member)
  return member:sub(14)
end

-- Sorts by sequence, so that older jobs rise first.
local function age_name(job)
  return string.format('%012d', job[JOB.sequence]) .. job[JOB.id]
end
