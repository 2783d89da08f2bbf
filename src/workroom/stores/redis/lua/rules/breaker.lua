-- Mirrors workroom.domain.rules.breaker. A breaker is three values: the last ends of jobs ('0' well, '1' failed), when it
-- opened, and the token of its trial. They are passed one by one, so that nothing is allocated for a job that ends well.
local breaker = {}

function breaker.admits_trial(opened, trial, now)
  return opened ~= nil and trial == nil and opened <= now - BREAK_US
end

-- Whether a job of this extension may be assigned.
function breaker.admits(opened, trial, now)
  return opened == nil or breaker.admits_trial(opened, trial, now)
end

-- Whether this attempt, already assigned, may begin.
function breaker.lets_start(opened, trial, token)
  return opened == nil or trial == token
end

function breaker.trying(ends, opened, trial, token)
  if opened then
    return ends, opened, token
  end
  return ends, opened, trial
end

-- Whether at least five jobs, and half of those that ended last, have failed.
function breaker.opens(ends)
  local _, failures = ends:gsub('1', '')
  return failures >= MIN_FAILURES and 2 * failures >= #ends
end

-- The trial closes it and clears the failures; others began before things went wrong.
function breaker.after_success(ends, opened, trial, token)
  if not opened and ends == HEALTHY then
    return ends, nil, trial
  end
  if opened and trial == token then
    return (ends:gsub('1', '') .. '0'):sub(-WINDOW), nil, nil
  end
  return (ends .. '0'):sub(-WINDOW), opened, trial
end

function breaker.after_failure(ends, opened, trial, token, now)
  ends = (ends .. '1'):sub(-WINDOW)
  if opened then
    if trial == token then
      return ends, now, nil
    end
    return ends, opened, trial
  end
  return ends, breaker.opens(ends) and now or nil, nil
end

-- A job that failed before has failed again: a verdict only if it was the trial.
function breaker.after_repeat(ends, opened, trial, token, now)
  if opened and trial == token then
    return ends, now, nil
  end
  return ends, opened, trial
end

-- If this was the trial, another attempt may try.
function breaker.after_no_verdict(ends, opened, trial, token)
  if trial == token then
    return ends, opened, nil
  end
  return ends, opened, trial
end

function breaker.after(ends, opened, trial, sign, token, now)
  if sign == 'success' then
    return breaker.after_success(ends, opened, trial, token)
  elseif sign == 'failure' then
    return breaker.after_failure(ends, opened, trial, token, now)
  elseif sign == 'again' then
    return breaker.after_repeat(ends, opened, trial, token, now)
  end
  return breaker.after_no_verdict(ends, opened, trial, token)
end
