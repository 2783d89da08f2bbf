-- needs: step extensions
-- The circuit breaker of an extension; the rules are those of workroom.domain.breaker.
local function save_breaker(extension, failures, opened, trial)
  extension.failures, extension.opened, extension.trial = failures, opened, trial
  call('HSET', extension.key, 'failures', failures)
  if opened then
    call('HSET', extension.key, 'opened', opened)
    call('SADD', W .. 'broken', extension.id)
  else
    call('HDEL', extension.key, 'opened')
    call('SREM', W .. 'broken', extension.id)
  end
  if trial then
    call('HSET', extension.key, 'trial', trial)
  else
    call('HDEL', extension.key, 'trial')
  end
end

local function admits(extension)
  return not extension.opened or (not extension.trial and NOW >= extension.opened + BREAK_US)
end

local function lets_start(extension, token)
  return not extension.opened or extension.trial == token
end

-- True if that closed it. While it is open only the trial counts.
local function after_success(extension, token)
  local was_open = extension.opened
  if lets_start(extension, token) and (was_open or extension.failures > 0) then
    save_breaker(extension, 0, nil, nil)
    return was_open
  end
  return false
end

local function after_failure(extension, token)
  if extension.opened then
    if extension.trial == token then
      save_breaker(extension, extension.failures, NOW, nil)
    end
    return
  end
  local failures = extension.failures + 1
  save_breaker(extension, failures, failures >= THRESHOLD and NOW or nil, nil)
end

-- The trial let go without a verdict: somebody else may try.
local function end_trial(extension, token)
  if extension.trial and extension.trial == token then
    save_breaker(extension, extension.failures, extension.opened, nil)
  end
end
