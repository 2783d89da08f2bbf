-- needs: codes rooms
local name = args.kind .. ':' .. args.digest
local user, role, room, expires, uses, created = unpack(
  call('HMGET', W .. 'code:' .. name, 'user', 'role', 'room', 'expires', 'uses', 'created'))
if not user or tonumber(uses) < 1 or tonumber(expires) <= NOW then
  return reply_with()
end
local removed = room and call('HGET', W .. 'removals:' .. room, args.user)
if removed and tonumber(removed) >= tonumber(created) then
  return reply_with()
end
if room and (role == 'viewer' or role == 'member') and role_in(room, args.user) == role then
  return reply_with({user, role, room, tonumber(expires), tonumber(uses)})
end
if tonumber(uses) == 1 then
  drop_code(name, args.kind, user, room)
else
  call('HINCRBY', W .. 'code:' .. name, 'uses', -1)
end
return reply_with({user, role, room, tonumber(expires), uses - 1})
