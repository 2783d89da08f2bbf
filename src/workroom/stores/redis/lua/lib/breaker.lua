-- needs: step extensions rules/breaker
-- Reads and writes the circuit breaker of an extension.
local function save_breaker(extension, failures, opened, trial)
  if failures == extension.failures and opened == extension.opened and trial == extension.trial then
    return
  end
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

-- Record how an attempt ended; true if that closed the breaker.
local function change_breaker(extension, sign, token)
  local was_open = extension.opened
  save_breaker(extension, breaker.after(extension.failures, was_open, extension.trial, sign, token, NOW))
  return was_open and not extension.opened
end
