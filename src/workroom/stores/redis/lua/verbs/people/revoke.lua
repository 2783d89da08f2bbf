-- needs: step
return reply_with(call('ZADD', W .. 'revoked', 'NX', args.expires, args.token) == 1)
