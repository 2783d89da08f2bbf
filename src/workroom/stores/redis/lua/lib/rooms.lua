-- needs: step
local function is_deleted(room)
  return call('HGET', W .. 'room:' .. room, 'deleted') == '1'
end

-- A room that somebody needs is made, open, and theirs. Ask first whether it was deleted.
local function make_room(room, owner, title, private)
  local key = W .. 'room:' .. room
  if call('EXISTS', key) == 1 then
    return false
  end
  call('HSET', key, 'owner', owner, 'title', title or '', 'private', private and 1 or 0, 'deleted', 0, 'created', NOW)
  call('ZADD', W .. 'rooms', 0, room)
  return true
end
