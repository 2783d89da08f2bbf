-- Mirrors workroom.domain.rules.workers.departure.
local departure = {}

-- When an extension leaves whose last worker left. What was taken off the list does not linger.
function departure.leaves_us(now, linger, is_withdrawn)
  return is_withdrawn and now or now + linger
end

-- Whether it leaves now: nobody offers it, no job of it is unfinished, and it has lingered.
function departure.is_over(leaves, now, is_offered, is_unfinished)
  return leaves ~= nil and leaves <= now and not is_offered and not is_unfinished
end
