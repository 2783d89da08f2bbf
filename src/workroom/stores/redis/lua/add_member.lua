-- needs: step
call('SADD', W .. 'members:' .. args.room, args.user)
return answer(true)
