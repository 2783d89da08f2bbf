-- needs: step
local name = args.kind .. ':' .. args.digest
local user, role, room, expires, uses = unpack(
  call('HMGET', W .. 'code:' .. name, 'user', 'role', 'room', 'expires', 'uses'))
if not user or tonumber(uses) < 1 or tonumber(expires) <= NOW then
  return answer()
end
if tonumber(uses) == 1 then
  call('DEL', W .. 'code:' .. name)
  call('ZREM', W .. 'codes', name)
else
  call('HINCRBY', W .. 'code:' .. name, 'uses', -1)
end
return answer({user, role, room, tonumber(expires), uses - 1})
