-- needs: step
-- Codes by when they expire: all of them, and those of each user and room.
local function lists_of(kind, user, room)
  local of_kind = W .. 'codes:' .. kind
  return {W .. 'codes', of_kind, of_kind .. ':user:' .. user, room and of_kind .. ':room:' .. room or nil}
end

local function drop_code(name, kind, user, room)
  call('DEL', W .. 'code:' .. name)
  for _, list in ipairs(lists_of(kind, user, room)) do
    call('ZREM', list, name)
  end
end

-- Drop those of these codes that match.
local function drop_among(names, is_meant)
  for _, name in ipairs(names) do
    local kind, user, room = unpack(call('HMGET', W .. 'code:' .. name, 'kind', 'user', 'room'))
    if is_meant(kind, user, room) then
      drop_code(name, kind, user, room)
    end
  end
end

local function drop_codes(is_meant)
  drop_among(call('ZRANGE', W .. 'codes', 0, -1), is_meant)
end
