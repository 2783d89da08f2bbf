-- needs: base
-- A job as the queue knows it; what was submitted and what came of it are kept by its room.
local TERMINAL = {completed = true, failed = true, cancelled = true}

-- Where each value stands in a record, which is read and written whole. What is not there is false. A table with
-- names would have to be made of it each time, with more memory than a small allocation may have. The numbers of a
-- job's events come last, from `events` on.
local AT = {
  id = 1, seq = 2, room = 3, user = 4, ext = 5, hash = 6, size = 7, priority = 8, created = 9, retry_of = 10,
  lane = 11, status = 12, version = 13, attempt = 14, tries = 15, losses = 16, token = 17, nonce = 18, worker = 19,
  assigned = 20, started = 21, completed = 22, rank = 23, tag = 24, aged = 25, due = 26, result = 27, said = 28,
  chat = 29, events = 30,
}

local function record_key(id)
  return W .. 'job:' .. id
end

-- What only some jobs have: progress, a preview, an error, reports after which they were tried again.
local function details_key(id)
  return W .. 'details:' .. id
end

local known_jobs = {} -- false for those that are not on record

-- Those that a step asks for one by one are read together, before it has changed them.
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
  for index = AT.events, #job do
    append(found, job[index])
  end
  return found
end

local changed_jobs, is_changed = {}, {}

-- It is written at the end of the step, together with the others.
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
      append(records, record_key(job[AT.id]))
      append(records, cmsgpack.pack(job))
    end
    call('MSET', unpack(records))
  end
end

-- Where a job stands among the waiting: urgent first, then by fair share, then by who came first.
local function place(job)
  local member = string.format('%012d', job[AT.seq]) .. (job[AT.lane] and '+' or '-') .. job[AT.id]
  return job[AT.rank] * 281474976710656 + job[AT.tag], member
end

local function id_of(member)
  return member:sub(14)
end

-- Those that came first rise first.
local function age_name(job)
  return string.format('%012d', job[AT.seq]) .. job[AT.id]
end
