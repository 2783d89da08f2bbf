-- Mirrors workroom.domain.rules.queue.grouping.
local grouping = {}

-- A job is added to a group. A closed one takes retries of its own jobs.
function grouping.join(is_open, is_paused, is_cancelled, is_retry)
  if is_cancelled or not (is_open or is_retry) then
    return 'closed'
  end
  return is_paused and 'postpone' or 'take'
end

-- Whether all its jobs have ended, and no more are to come.
function grouping.is_over(total, ended, is_open)
  return not is_open and ended >= total
end
