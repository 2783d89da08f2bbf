-- needs: room_locks
leave_place(args.room, args.target, args.digest)
local packed = call('HGET', locks_key(args.room), args.target)
if not packed or cmsgpack.unpack(packed)[LOCK.digest] ~= args.digest then
  return reply_with(false)
end
return reply_with(delete_lock(args.room, args.target))
