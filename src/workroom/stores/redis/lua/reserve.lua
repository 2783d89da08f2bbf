-- needs: step
call('ZADD', W .. 'waste', 0, args.blob)
return answer(true)
