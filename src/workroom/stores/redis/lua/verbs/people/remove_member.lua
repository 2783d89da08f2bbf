-- needs: step
-- A banned user cannot return with an invite made before.
local was_member = call('SREM', W .. 'members:' .. args.room, args.user) == 1
call('SREM', W .. 'viewers:' .. args.room, args.user)
if was_member and args.banned then
  call('HSET', W .. 'removals:' .. args.room, args.user, NOW)
end
return reply_with(true)
