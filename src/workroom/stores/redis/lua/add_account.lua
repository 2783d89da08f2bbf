-- needs: step
local key = W .. 'account:' .. args.name
if call('EXISTS', key) == 1 then
  return answer(false)
end
call('HSET', key, 'role', args.role, 'epoch', 0, 'disabled', 0, 'created', NOW)
if args.password_hash then
  call('HSET', key, 'password_hash', args.password_hash)
end
call('ZADD', W .. 'accounts', 0, args.name)
return answer(true)
