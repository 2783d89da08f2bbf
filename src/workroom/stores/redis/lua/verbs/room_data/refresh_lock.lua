-- needs: room_locks
local lock = find_lock(args.room, args.target)
if not lock or lock[LOCK.digest] ~= args.digest then
  return refuse('lock_lost', {args.target})
end
local ttl = args.ttl or lock[LOCK.ttl_us]
lock[LOCK.expires_us], lock[LOCK.ttl_us] = NOW + ttl, ttl
if args.message then
  lock[LOCK.message] = args.message
end
save_lock(args.room, lock)
return reply_with(lock)
