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
