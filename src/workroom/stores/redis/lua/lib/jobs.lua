-- needs: base
-- A job as the queue knows it; what was submitted and what came of it are kept by its room.
local FIELDS = {
  'seq', 'room', 'user', 'ext', 'status', 'version', 'attempt', 'token', 'nonce', 'worker', 'tries', 'losses',
  'lane', 'rank', 'tag', 'due',
}
local NUMBERS = {'seq', 'version', 'attempt', 'tries', 'losses', 'rank', 'tag'}
local TERMINAL = {completed = true, failed = true, cancelled = true}

local function find_job(id)
  local values = call('HMGET', W .. 'job:' .. id, unpack(FIELDS))
  if not values[1] then
    return nil
  end
  local job = {id = id, key = W .. 'job:' .. id}
  for index, field in ipairs(FIELDS) do
    job[field] = values[index]
  end
  for _, field in ipairs(NUMBERS) do
    job[field] = tonumber(job[field])
  end
  return job
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
