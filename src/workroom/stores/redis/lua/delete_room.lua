-- needs: codes
-- A room is hidden with what is offered in it. Its jobs stay on record, so its name stays taken.
local key = W .. 'room:' .. args.name
if call('EXISTS', key) == 1 then
  call('HSET', key, 'deleted', 1)
end
call('ZREM', W .. 'rooms', args.name)
call('DEL', W .. 'members:' .. args.name)
for _, id in ipairs(call('SMEMBERS', W .. 'exts:' .. args.name)) do
  call('HSET', W .. 'ext:' .. id, 'active', 0)
end
for _, id in ipairs(call('ZRANGE', W .. 'files:' .. args.name, 0, -1)) do
  call('ZADD', W .. 'waste', 0, call('HGET', W .. 'file:' .. id, 'blob'))
  call('DEL', W .. 'file:' .. id)
end
call('DEL', W .. 'files:' .. args.name)
drop_codes(function(_, _, room) return room == args.name end)
return answer(true)
