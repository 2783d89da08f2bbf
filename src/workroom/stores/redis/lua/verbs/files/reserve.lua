-- needs: step
call('ZADD', W .. 'orphans', 0, args.blob)
return reply_with(true)
