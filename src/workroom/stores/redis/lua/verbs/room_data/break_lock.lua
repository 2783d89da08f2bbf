-- needs: room_locks
local lock = find_lock(args.room, args.target)
delete_lock(args.room, args.target)
return reply_with(lock or false)
