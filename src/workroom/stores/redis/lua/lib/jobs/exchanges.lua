-- needs: fences rules/exchanges
-- What a job exchanges with providers and people: lists of external ids, intents and questions (see layouts.py).
local EXTERNAL_IDS, INTENTS, QUESTIONS = 1, 2, 3

-- The exchanges of a job, and their size.
local function exchanges_of(id)
  local packed = call('HGET', details_key(id), 'exchanges')
  if not packed then
    return {{}, {}, {}}, 0
  end
  return cmsgpack.unpack(packed), #packed
end

local function save_exchanges(id, found)
  call('HSET', details_key(id), 'exchanges', cmsgpack.pack(found))
end

local function open_key(room)
  return W .. 'questions:' .. room
end

-- List the job among those with open questions. All of them together are checked in turns: see `sweep`.
local function open_questions(job)
  call('ZADD', open_key(job[JOB.room]), job[JOB.sequence], job[JOB.id])
  call('ZADD', W .. 'questions', NOW, job[JOB.id])
end

local function close_questions(room, id)
  call('ZREM', open_key(room), id)
  call('ZREM', W .. 'questions', id)
end
