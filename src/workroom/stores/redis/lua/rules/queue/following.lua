-- Mirrors workroom.domain.rules.queue.following.
local following = {}

-- `status` is the end of a job, or of a group as a whole; nil if it has not ended.
function following.follow(status, on_end)
  if not status then
    return 'wait'
  end
  return (on_end or status == 'completed') and 'go' or 'skip'
end

-- How a group has ended as a whole: failed jobs that were retried do not count.
function following.group_end(failed, cancelled, retried)
  return cancelled == 0 and failed <= retried and 'completed' or 'failed'
end

-- Why a job that waited for a job or a group is cancelled.
function following.skip_reason(before, status, is_group)
  if is_group then
    return 'group ' .. before .. ' ' .. SKIP_TEXTS.group
  end
  return 'job ' .. before .. ' ' .. SKIP_TEXTS[status]
end
