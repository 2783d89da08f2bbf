-- needs: step
call('HDEL', W .. 'removals:' .. args.room, args.user)
call('SADD', W .. 'members:' .. args.room, args.user)
call(args.role == 'viewer' and 'SADD' or 'SREM', W .. 'viewers:' .. args.room, args.user)
return reply_with(true)
