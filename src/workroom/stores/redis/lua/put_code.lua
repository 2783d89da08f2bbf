-- needs: step
local name = args.kind .. ':' .. args.digest
if call('EXISTS', W .. 'code:' .. name) == 0 then
  call('HSET', W .. 'code:' .. name, 'kind', args.kind, 'user', args.user, 'role', args.role, 'expires', args.expires,
    'uses', args.uses)
  if args.room then
    call('HSET', W .. 'code:' .. name, 'room', args.room)
  end
  call('ZADD', W .. 'codes', args.expires, name)
end
return answer(true)
