-- needs: step_builder rooms
if is_missing(args.room) then
  return refuse('room_not_found', {args.room})
end
post_chat(args.room, args.user, args.text, false, args.by_job)
return reply_with(step.chat[1])
