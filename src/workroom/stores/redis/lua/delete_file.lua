-- needs: shelf
local key = W .. 'file:' .. args.id
local room, blob = unpack(call('HMGET', key, 'room', 'blob'))
if room ~= args.room then
  return answer(false)
end
call('ZADD', W .. 'waste', 0, blob)
call('DEL', key)
call('ZREM', W .. 'files:' .. args.room, args.id)
return answer(true)
