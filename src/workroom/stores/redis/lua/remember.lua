-- needs: rooms
-- The values of a form without a job: the room keeps them.
if is_deleted(args.room) then
  return refuse('room_not_found', {args.room})
end
make_room(args.room, args.user)
call('HSET', W .. 'forms:' .. args.user, table.concat({args.room, args.category, args.name}, SEP), '')
return answer(true)
