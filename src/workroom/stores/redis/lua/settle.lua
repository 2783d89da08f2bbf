-- needs: ending holding
-- Attempts come to their end. What a report brings is told by its digests; the values are kept elsewhere.
local FENCE, STATUS, RESULT, SAID, OUTCOMES, REASON, REFUSED = 1, 2, 3, 4, 5, 6, 7
local MAY_END = {
  assigned = {failed = true, cancelled = true},
  running = {completed = true, failed = true, cancelled = true},
}

-- The very report that ended the job, sent again because its answer was lost.
local function is_repeat(job, report)
  if not is_current(job, args.worker, report[FENCE]) or job[AT.status] ~= report[STATUS] then
    return false
  end
  return job[AT.result] == report[RESULT] and (job[AT.status] ~= 'failed' or job[AT.said] == report[SAID])
end

-- The very report after which the job was tried again.
local function was_retried(job, report)
  local fence = report[FENCE]
  local kept = call('HGET', details_key(job[AT.id]), 'retried:' .. fence[2])
  return report[STATUS] == 'failed' and not report[RESULT]
    and kept == table.concat({fence[3], args.worker, report[SAID]}, SEP)
end

-- Errors of the code count against the extension and may be tried again.
-- Neither is so for input that was refused, nor for an attempt that never began.
local function fail_attempt(job, extension, report)
  local token, actor = report[FENCE][3], 'worker:' .. args.worker
  job[AT.said] = report[SAID]
  if report[REFUSED] or job[AT.status] == 'assigned' then
    end_trial(extension, token)
    fail(job, report[OUTCOMES][1], args.worker, actor, report[REASON])
    return
  end
  after_failure(extension, token)
  local attempt = job[AT.attempt]
  if policy_value(extension, 'retry_on') ~= 'error' then
    fail(job, report[OUTCOMES][1], args.worker, actor, report[REASON])
  elseif try_again(job, report[OUTCOMES], args.worker, actor, report[REASON]) then
    call('HSET', details_key(job[AT.id]), 'retried:' .. attempt, table.concat({token, args.worker, report[SAID]}, SEP))
  end
end

local function end_attempt(job, extension, report)
  if report[STATUS] == 'failed' then
    return fail_attempt(job, extension, report)
  end
  if report[STATUS] == 'cancelled' then
    end_trial(extension, report[FENCE][3])
  elseif after_success(extension, report[FENCE][3]) then
    arrive(job[AT.ext], waiting(job[AT.ext]))
  end
  job[AT.result] = report[RESULT]
  finish(job, report[STATUS], job[AT.worker], 'worker:' .. args.worker)
end

local ended = {}

local function settle(report)
  local fence = report[FENCE]
  local job = find_job(fence[1])
  if not job then
    return stale(nil)
  end
  local record = find_attempt(args.worker, job[AT.id], fence[2])
  local is_live = record and record[TOKEN] == fence[3]
  if not is_live and not is_current(job, args.worker, fence) then
    return not was_retried(job, report) and stale(job)
  end
  local is_over = not is_current(job, args.worker, fence) or TERMINAL[job[AT.status]]
  if not is_over and not (MAY_END[job[AT.status]] or {})[report[STATUS]] then
    return {'illegal_transition', job[AT.status], report[STATUS]}
  end
  local extension, refusal = extension_of(job[AT.ext]), false
  if is_over then
    end_trial(extension, fence[3])
    refusal = not is_repeat(job, report) and stale(job)
  else
    end_attempt(job, extension, report)
  end
  if is_live then
    release(args.worker, job[AT.id], fence[2], record)
  end
  ended[job[AT.ext]] = true
  return refusal
end

read_fenced(args.worker, args.reports)
for _, report in ipairs(args.reports) do
  append(step.answers, settle(report))
end
retire(ended)
return answer_packed(close())
