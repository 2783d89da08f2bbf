-- needs: blobs
local key = W .. 'file:' .. args.id
local room, blob = unpack(call('HMGET', key, 'room', 'blob'))
if room ~= args.room then
  return reply_with(false)
end
orphan(blob)
call('DEL', key)
call('ZREM', W .. 'files:' .. args.room, args.id)
return reply_with(true)
