-- needs: codes
local name = args.kind .. ':' .. args.digest
if call('EXISTS', W .. 'code:' .. name) == 0 then
  call('HSET', W .. 'code:' .. name, 'kind', args.kind, 'user', args.user, 'role', args.role, 'expires', args.expires,
    'uses', args.uses, 'created', NOW)
  if args.room then
    call('HSET', W .. 'code:' .. name, 'room', args.room)
  end
  for _, list in ipairs(lists_of(args.kind, args.user, args.room)) do
    call('ZADD', list, args.expires, name)
  end
end
return reply_with(true)
