-- needs: codes
local key = W .. 'account:' .. args.name
if call('EXISTS', key) == 0 then
  return reply_with()
end
for _, field in ipairs({'role', 'password_hash', 'disabled'}) do
  if args[field] ~= nil then
    call('HSET', key, field, args[field])
  end
end
if args.role then
  call(args.role == 'guest' and 'SADD' or 'SREM', W .. 'guests', args.name)
end
call('HINCRBY', key, 'epoch', 1)
call('SADD', W .. 'revoked_accounts', args.name)
drop_codes(function(_, user) return user == args.name end)
return reply_with(call('HMGET', key, 'role', 'password_hash', 'epoch', 'disabled', 'created', 'display_name'))
