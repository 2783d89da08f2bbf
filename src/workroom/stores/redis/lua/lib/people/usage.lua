-- needs: step
-- Running totals of what users and rooms have.
local function charge(kind, user, room, amount)
  if amount == 0 then
    return
  end
  for _, name in ipairs({'user:' .. user, 'room:' .. room, 'total'}) do
    local key = W .. 'quota:' .. name
    if call('HINCRBY', key, kind, string.format('%.0f', amount)) == 0 then
      call('HDEL', key, kind)
    end
  end
end
