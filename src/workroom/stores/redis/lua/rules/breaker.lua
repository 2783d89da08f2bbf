-- Mirrors workroom.domain.rules.breaker. A breaker is three values: failures, when it opened, and the token of its
-- trial. They are passed one by one, so that nothing is allocated for a job that ends well.
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

function breaker.trying(failures, opened, trial, token)
  if opened then
    return failures, opened, token
  end
  return failures, opened, trial
end

-- While it is open only the trial counts: others began before things went wrong.
function breaker.after_success(failures, opened, trial, token)
  if breaker.lets_start(opened, trial, token) then
    return 0, nil, nil
  end
  return failures, opened, trial
end

function breaker.after_failure(failures, opened, trial, token, now)
  if opened then
    if trial == token then
      return failures, now, nil
    end
    return failures, opened, trial
  end
  failures = failures + 1
  return failures, failures >= THRESHOLD and now or nil, nil
end

-- If this was the trial, another attempt may try.
function breaker.after_no_verdict(failures, opened, trial, token)
  if trial == token then
    return failures, opened, nil
  end
  return failures, opened, trial
end

function breaker.after(failures, opened, trial, sign, token, now)
  if sign == 'success' then
    return breaker.after_success(failures, opened, trial, token)
  elseif sign == 'failure' then
    return breaker.after_failure(failures, opened, trial, token, now)
  end
  return breaker.after_no_verdict(failures, opened, trial, token)
end
