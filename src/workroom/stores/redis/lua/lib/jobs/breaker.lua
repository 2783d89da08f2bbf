-- needs: step extensions rules/breaker
-- Reads and writes the circuit breaker of an extension.
local function save_breaker(extension, ends, opened, trial)
  if ends ~= extension.ends then
    extension.ends = ends
    call('HSET', extension.key, 'ends', ends)
  end
  if opened == extension.opened and trial == extension.trial then
    return
  end
  extension.opened, extension.trial = opened, trial
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
  save_breaker(extension, breaker.after(extension.ends, was_open, extension.trial, sign, token, NOW))
  return was_open and not extension.opened
end
