-- needs: rooms shelf
if is_deleted(args.room) then
  return refuse('room_not_found', {args.room})
end
make_room(args.room, args.user)
replace_blob(nil, args.blob[1])
local sequence = call('HINCRBY', W .. 'meta', 'file', 1)
call('HSET', W .. 'file:' .. args.id, 'seq', sequence, 'room', args.room, 'user', args.user, 'name', args.name,
  'media_type', args.media_type, 'blob', args.blob[1], 'size', args.blob[2], 'sha256', args.blob[3], 'created', NOW)
call('ZADD', W .. 'files:' .. args.room, sequence, args.id)
return answer({sequence, NOW})
