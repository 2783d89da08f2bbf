-- needs: skeletons
local key = W .. 'account:' .. args.name
if call('EXISTS', key) == 1 or has_confusable(args.name, args.skeletons) then
  return reply_with(false)
end
call('HSET', key, 'role', args.role, 'epoch', 0, 'disabled', 0, 'created', NOW, 'display_name', args.display_name)
if args.password_hash then
  call('HSET', key, 'password_hash', args.password_hash)
end
call('ZADD', W .. 'accounts', 0, args.name)
if args.role == 'guest' then
  call('SADD', W .. 'guests', args.name)
end
put_skeletons(args.name, args.skeletons)
return reply_with(true)
