-- needs: step
return answer(call('ZADD', W .. 'revoked', 'NX', args.expires, args.token) == 1)
