-- needs: step
-- What stood there is waste; what comes is so no more.
local function replace_blob(before, blob)
  if before and before ~= blob then
    call('ZADD', W .. 'waste', 0, before)
  end
  call('ZREM', W .. 'waste', blob)
end
