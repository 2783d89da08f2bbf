-- needs: step
call('SREM', W .. 'members:' .. args.room, args.user)
return answer(true)
