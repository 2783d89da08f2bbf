-- needs: step
-- Drop the codes that are as they should not be.
local function drop_codes(is_meant)
  for _, name in ipairs(call('ZRANGE', W .. 'codes', 0, -1)) do
    local kind, user, room = unpack(call('HMGET', W .. 'code:' .. name, 'kind', 'user', 'room'))
    if is_meant(kind, user, room) then
      call('DEL', W .. 'code:' .. name)
      call('ZREM', W .. 'codes', name)
    end
  end
end
