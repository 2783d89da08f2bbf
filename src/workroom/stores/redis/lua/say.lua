-- needs: ledger rooms
if is_deleted(args.room) then
  return refuse('room_not_found', {args.room})
end
make_room(args.room, args.user)
say(args.room, args.user, args.text)
return answer(step.said[1])
