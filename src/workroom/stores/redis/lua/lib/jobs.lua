-- needs: base
-- A job as the queue knows it; what was submitted and what came of it are kept by its room.
local TERMINAL = {completed = true, failed = true, cancelled = true}

local function record_key(id)
  return W .. 'job:' .. id
end

-- What only some jobs have: progress, a preview, an error, reports after which they were tried again.
local function details_key(id)
  return W .. 'details:' .. id
end

-- A record is read and written whole, which costs a fraction of two dozen fields.
local function job_of(id, packed)
  local seq, room, user, ext, hash, size, priority, created, retry_of, lane, status, version, attempt, tries, losses,
    token, nonce, worker, assigned, started, completed, rank, tag, aged, due, result, said, chat, events =
    unpack(cmsgpack.unpack(packed))
  return {
    id = id, seq = seq, room = room, user = user, ext = ext, hash = hash, size = size, priority = priority,
    created = created, retry_of = retry_of, lane = lane, status = status, version = version, attempt = attempt,
    tries = tries, losses = losses, token = token, nonce = nonce, worker = worker, assigned = assigned,
    started = started, completed = completed, rank = rank, tag = tag, aged = aged, due = due, result = result,
    said = said, chat = chat, events = events,
  }
end

local function record_of(job)
  return cmsgpack.pack({
    job.seq, job.room, job.user, job.ext, job.hash, job.size, job.priority, job.created, job.retry_of or false,
    job.lane or false, job.status, job.version, job.attempt, job.tries, job.losses, job.token or false,
    job.nonce or false, job.worker or false, job.assigned or false, job.started or false, job.completed or false,
    job.rank, job.tag, job.aged, job.due or false, job.result or false, job.said or false, job.chat or false,
    job.events,
  })
end

local known_jobs = {} -- false for those that are not on record

-- Those that a step asks for one by one are read together before it has changed any of them.
local function read_jobs(ids)
  for first = 1, #ids, 1000 do
    local keys = {}
    for index = first, math.min(first + 999, #ids) do
      append(keys, record_key(ids[index]))
    end
    for index, packed in ipairs(call('MGET', unpack(keys))) do
      local id = ids[first + index - 1]
      known_jobs[id] = packed and job_of(id, packed)
    end
  end
end

local function find_job(id)
  if known_jobs[id] == nil then
    read_jobs({id})
  end
  return known_jobs[id]
end

local changed_jobs = {}

-- It is written at the end of the step, together with the others.
local function save_job(job)
  if not job.is_changed then
    job.is_changed = true
    append(changed_jobs, job)
  end
end

local function write_jobs()
  for first = 1, #changed_jobs, 1000 do
    local records = {}
    for index = first, math.min(first + 999, #changed_jobs) do
      local job = changed_jobs[index]
      append(records, record_key(job.id))
      append(records, record_of(job))
    end
    call('MSET', unpack(records))
  end
end

-- Where a job stands among the waiting: urgent first, then by fair share, then by who came first.
local function place(job)
  local member = string.format('%012d', job.seq) .. (job.lane and '+' or '-') .. job.id
  return job.rank * 281474976710656 + job.tag, member
end

local function id_of(member)
  return member:sub(14)
end

-- Those that came first rise first.
local function age_name(job)
  return string.format('%012d', job.seq) .. job.id
end
