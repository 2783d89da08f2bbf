-- needs: base
-- A job as the queue knows it; what was submitted and what came of it are kept by its room.
local TERMINAL = {completed = true, failed = true, cancelled = true}

local function find_job(id)
  local key = W .. 'job:' .. id
  local values = call('HMGET', key, 'seq', 'room', 'user', 'ext', 'status', 'version', 'attempt', 'token', 'nonce',
    'worker', 'tries', 'losses', 'lane', 'rank', 'tag', 'due', 'size')
  if not values[1] then
    return nil
  end
  return {
    id = id, key = key, seq = tonumber(values[1]), room = values[2], user = values[3], ext = values[4],
    status = values[5], version = tonumber(values[6]), attempt = tonumber(values[7]), token = values[8],
    nonce = values[9], worker = values[10], tries = tonumber(values[11]), losses = tonumber(values[12]),
    lane = values[13], rank = tonumber(values[14]), tag = tonumber(values[15]), due = values[16],
    size = tonumber(values[17]),
  }
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
