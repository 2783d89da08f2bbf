-- needs: endings fences rules/finish
-- Attempts end. Results and errors are compared by digest; the values are kept elsewhere.
local function is_repeat(job, report, current)
  local same_result = job[JOB.result] == report[REPORT.result]
  local same_error = job[JOB.error_digest] == report[REPORT.error_digest]
  return finish.is_repeat(job[JOB.status], report[REPORT.status], current, same_result, same_error)
end

-- The field of a report that led to a retry.
local function retried_name(report)
  return table.concat({report[REPORT.fence][3], args.worker, report[REPORT.error_digest] or ''}, SEP)
end

local function was_retried(job, report)
  local kept = call('HGET', details_key(job[JOB.id]), 'retried:' .. report[REPORT.fence][2])
  return finish.was_retried(report[REPORT.status], report[REPORT.result], kept == retried_name(report))
end

local function fail_attempt(job, extension, report)
  local fence, error = report[REPORT.fence], report[REPORT.error]
  local fate, sign = finish.after_error(
    job[JOB.status], error[1], policy_value(extension, 'retry_on'), retries_of(extension), job[JOB.tries],
    job[JOB.has_failed])
  job[JOB.error_digest] = report[REPORT.error_digest]
  change_breaker(extension, sign, fence[3])
  job[JOB.has_failed] = job[JOB.has_failed] or sign == 'failure'
  conclude(job, fate, error, args.worker, 'worker:' .. args.worker, report[REPORT.reason])
  if fate == 'retry' then
    call('HSET', details_key(job[JOB.id]), 'retried:' .. fence[2], retried_name(report))
  end
end

local function end_attempt(job, extension, report)
  if report[REPORT.status] == 'failed' then
    return fail_attempt(job, extension, report)
  end
  local _, sign = finish.after_report(report[REPORT.status])
  if change_breaker(extension, sign, report[REPORT.fence][3]) then
    arrive(job[JOB.extension], waiting(job[JOB.extension]))
  end
  job[JOB.result] = report[REPORT.result]
  end_job(job, report[REPORT.status], job[JOB.worker], 'worker:' .. args.worker)
end

local ended = {}

local function finish_attempt(report)
  local fence = report[REPORT.fence]
  local job = find_job(fence[1])
  if not job then
    return stale(nil)
  end
  local record = find_attempt(args.worker, job[JOB.id], fence[2])
  local is_live = record and record[ATTEMPT.token] == fence[3]
  local current = is_current(job, args.worker, fence)
  local receipt = finish.receive(job[JOB.status], report[REPORT.status], current, is_live)
  if receipt == 'not_held' then
    return not was_retried(job, report) and stale(job)
  elseif receipt == 'illegal' then
    return {'illegal_transition', job[JOB.status], report[REPORT.status]}
  end
  local extension, refusal = extension_of(job[JOB.extension]), false
  if receipt == 'accepted' then
    end_attempt(job, extension, report)
  else
    change_breaker(extension, 'none', fence[3])
    refusal = not is_repeat(job, report, current) and stale(job)
  end
  if is_live then
    release(args.worker, job[JOB.id], fence[2], record)
  end
  ended[job[JOB.extension]] = true
  return refusal
end

read_fenced(args.worker, args.reports)
for _, report in ipairs(args.reports) do
  append(step.answers, finish_attempt(report))
end
retire(ended)
return reply_packed(build_step())
