-- needs: step
call('HDEL', W .. 'removals:' .. args.room, args.user)
call('SADD', W .. 'members:' .. args.room, args.user)
return reply_with(true)
