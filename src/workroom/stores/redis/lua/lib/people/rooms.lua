-- needs: step
local function is_missing(room)
  return call('HGET', W .. 'room:' .. room, 'deleted') ~= '0'
end

-- The role of a member; nil for others.
local function role_in(room, user)
  if call('SISMEMBER', W .. 'members:' .. room, user) == 1 then
    return call('SISMEMBER', W .. 'viewers:' .. room, user) == 1 and 'viewer' or 'member'
  end
end

-- Whether the room admits a user as a member, by a token of this epoch if one is given.
local function admits_as_member(room, user, epoch)
  local owner, private = unpack(call('HMGET', W .. 'room:' .. room, 'owner', 'private'))
  local role, disabled, current = unpack(call('HMGET', W .. 'account:' .. user, 'role', 'disabled', 'epoch'))
  if epoch and (disabled ~= '0' or tonumber(current) ~= epoch) then
    return false
  end
  return private == '0' or owner == user or role == 'admin'
    or role_in(room, user) == 'member'
end
