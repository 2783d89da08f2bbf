-- needs: exchanges
-- Record external ids, intents and questions of attempts.
local function was_assigned(job, attempt)
  for _, sequence in ipairs(events_of(job)) do
    local number = string.format('%d-0', sequence)
    for _, entry in ipairs(call('XRANGE', W .. 'log:' .. job[JOB.room], number, number)) do
      local transition = cmsgpack.unpack(entry[2][2])
      if transition[7] == attempt and transition[8] == args.worker then
        return true
      end
    end
  end
  return false
end

local function save(job, found, size, list, entry)
  local count = #found[1] + #found[2] + #found[3]
  append(found[list], entry)
  if not exchanges.fits(count, size, #cmsgpack.pack(entry), args.max_entries, args.max_bytes) then
    return {'exchange_quota', args.max_entries, args.max_bytes}
  end
  save_exchanges(job[JOB.id], found)
  return false
end

local record = {}

function record.external(job, item, found, size)
  for _, each in ipairs(found[EXTERNAL_IDS]) do
    if each[EXTERNAL.provider] == item[3] then
      local verdict = exchanges.set_external(each[EXTERNAL.id], item[4])
      return verdict == 'taken' and {'external_taken', item[3], each[EXTERNAL.id]}
    end
  end
  return save(job, found, size, EXTERNAL_IDS, {item[3], item[4], item[1][2], NOW})
end

function record.intent(job, item, found, size)
  for _, each in ipairs(found[INTENTS]) do
    if each[INTENT.provider] == item[3] and each[INTENT.digest] == item[4] and each[INTENT.attempt] == item[1][2] then
      return false
    end
  end
  return save(job, found, size, INTENTS, {item[3], item[4], item[1][2], NOW})
end

-- Also returns the question, and whether it is new.
function record.question(job, item, found, size)
  for _, each in ipairs(found[QUESTIONS]) do
    if each[QUESTION.key] == item[3] then
      return false, each, false
    end
  end
  local expires = item[6] and NOW + item[6]
  local question = {#found[QUESTIONS] + 1, item[3], item[4], item[5], item[1][2], NOW, expires, false, false, false}
  local refusal = save(job, found, size, QUESTIONS, question)
  if refusal then
    return refusal
  end
  open_questions(job)
  return false, question, true
end

local refusals, questions = {}, {}
for index, item in ipairs(args.items) do
  local fence, kind = item[1], item[2]
  local job, refusal = running_job(args.worker, fence)
  local found = job or find_job(fence[1])
  if not job and kind == 'external' and found and was_assigned(found, fence[2]) then
    job = found
  end
  questions[index] = false
  if job then
    local question, is_new
    refusal, question, is_new = record[kind](job, item, exchanges_of(job[JOB.id]))
    questions[index] = question and {job[JOB.room], job[JOB.user], is_new, question} or false
  end
  refusals[index] = refusal or false
end
return reply_with({refusals, questions})
