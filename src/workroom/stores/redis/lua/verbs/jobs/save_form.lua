-- needs: rooms
-- The values of a form without a job; the room keeps them.
if is_missing(args.room) then
  return refuse('room_not_found', {args.room})
end
call('HSET', W .. 'forms:' .. args.user, table.concat({args.room, args.category, args.name}, SEP), '')
return reply_with(true)
