-- Mirrors workroom.domain.rules.queue.unique.
local unique = {}

local function contains(states, status)
  for _, each in ipairs(states) do
    if each == status then
      return true
    end
  end
  return false
end

-- `status` is that of the last job with the key, `is_recent` whether it was submitted within the window.
function unique.decide(on_duplicate, status, is_recent, states)
  if not status or not contains(states, status) or (TERMINAL[status] and not (status == 'completed' and is_recent)) then
    return 'take'
  end
  if on_duplicate ~= 'replace' then
    return on_duplicate == 'refuse' and 'refuse' or 'join'
  end
  return status == 'pending' and 'replace' or 'take'
end
