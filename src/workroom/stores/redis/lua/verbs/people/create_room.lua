-- needs: step
local key = W .. 'room:' .. args.name
if call('EXISTS', key) == 1 then
  return reply_with(false)
end
call('HSET', key, 'owner', args.owner, 'title', args.title, 'private', args.private and 1 or 0, 'deleted', 0,
  'created', NOW)
call('ZADD', W .. 'rooms', 0, args.name)
call('SADD', W .. 'rooms:user:' .. args.owner, args.name)
return reply_with(true)
