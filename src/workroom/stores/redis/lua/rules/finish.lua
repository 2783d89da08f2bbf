-- needs: rules/retry
-- Mirrors workroom.domain.rules.finish. Endings are two values: the fate of the job and a sign for the breaker.
local finish = {}

function finish.receive(status, reported, is_current, is_live)
  if is_current then
    if TERMINAL[status] then
      return 'late'
    end
    return MAY_END[status][reported] and 'accepted' or 'illegal'
  end
  return is_live and 'late' or 'not_held'
end

-- Whether a late report is the one that ended the job, sent again because its reply was lost.
function finish.is_repeat(status, reported, is_current, same_result, same_error)
  if not is_current or status ~= reported or not same_result then
    return false
  end
  return status ~= 'failed' or same_error
end

-- Whether the report of an attempt that nobody holds is the one after which the job was retried.
function finish.was_retried(reported, has_result, same_error)
  return reported == 'failed' and not has_result and same_error
end

-- The worker reported an end without an error.
function finish.after_report(reported)
  if reported == 'completed' then
    return 'complete', 'success'
  end
  return 'cancel', 'none'
end

-- Only errors of the code count against the extension and may be retried.
function finish.after_error(status, error_type, retry_on, retries, tries, has_failed)
  if error_type == REFUSED_INPUT or status == 'assigned' then
    return 'fail', 'none'
  end
  return finish.after_timeout(retry_on, retries, tries, has_failed)
end

-- Code that runs too long has failed. Only the first failure of a job is a sign of its own.
function finish.after_timeout(retry_on, retries, tries, has_failed)
  return retry.after_error(retry_on, retries, tries), has_failed and 'again' or 'failure'
end
