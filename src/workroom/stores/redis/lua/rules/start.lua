-- Mirrors workroom.domain.rules.start.
local start = {}

-- `lets_start` is the verdict of the extension's breaker on this attempt.
function start.decide(status, is_current, is_same_nonce, lets_start)
  if not is_current then
    return 'stale'
  end
  if status == 'assigned' then
    return lets_start and 'run' or 'circuit_open'
  end
  if status == 'running' and is_same_nonce then
    return 'repeat'
  end
  return 'stale'
end
