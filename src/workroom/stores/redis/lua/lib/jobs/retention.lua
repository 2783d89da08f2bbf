-- needs: step
local function forget_replay(id, retry_of)
  if retry_of and call('HGET', W .. 'replays', retry_of) == id then
    call('HDEL', W .. 'replays', retry_of)
  end
end

-- Jobs submitted before this time may be deleted.
local function forget_before(time)
  local known = tonumber(call('HGET', W .. 'meta', 'forgotten') or 0)
  if time > known then
    call('HSET', W .. 'meta', 'forgotten', string.format('%.0f', time))
  end
end

-- A job of the group was deleted for good. The group goes with its last one.
local function forget_member(group)
  if not group then
    return
  end
  local key = W .. 'group:' .. group
  local total = 0
  for _, count in ipairs(call('HMGET', key, 'pending', 'assigned', 'running', 'completed', 'failed', 'cancelled')) do
    total = total + tonumber(count or 0)
  end
  local room = call('HGET', key, 'room')
  if room and call('HINCRBY', key, 'forgotten', 1) >= total then
    call('ZREM', W .. 'job_groups:' .. room, group)
    call('DEL', key, W .. 'group_ends:' .. group, W .. 'followers:' .. group)
  end
end
