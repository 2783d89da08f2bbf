-- needs: base
-- A job as the queue knows it; what was submitted and what came of it are kept by its room.
local TERMINAL = {completed = true, failed = true, cancelled = true}

-- Its record is one field: it is read and written whole, which costs a fraction of two dozen fields.
local function find_job(id)
  local key = W .. 'job:' .. id
  local packed = call('HGET', key, 'record')
  if not packed then
    return nil
  end
  local seq, room, user, ext, hash, size, priority, created, retry_of, lane, status, version, attempt, tries, losses,
    token, nonce, worker, assigned, started, completed, rank, tag, aged, due, result, said, chat, events =
    unpack(cmsgpack.unpack(packed))
  return {
    id = id, key = key, seq = seq, room = room, user = user, ext = ext, hash = hash, size = size, priority = priority,
    created = created, retry_of = retry_of, lane = lane, status = status, version = version, attempt = attempt,
    tries = tries, losses = losses, token = token, nonce = nonce, worker = worker, assigned = assigned,
    started = started, completed = completed, rank = rank, tag = tag, aged = aged, due = due, result = result,
    said = said, chat = chat, events = events,
  }
end

local function save_job(job)
  call('HSET', job.key, 'record', cmsgpack.pack({
    job.seq, job.room, job.user, job.ext, job.hash, job.size, job.priority, job.created, job.retry_of or false,
    job.lane or false, job.status, job.version, job.attempt, job.tries, job.losses, job.token or false,
    job.nonce or false, job.worker or false, job.assigned or false, job.started or false, job.completed or false,
    job.rank, job.tag, job.aged, job.due or false, job.result or false, job.said or false, job.chat or false,
    job.events,
  }))
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
