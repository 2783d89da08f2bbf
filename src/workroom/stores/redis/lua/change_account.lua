-- needs: codes
local key = W .. 'account:' .. args.name
if call('EXISTS', key) == 0 then
  return answer()
end
for _, field in ipairs({'role', 'password_hash', 'disabled'}) do
  if args[field] ~= nil then
    call('HSET', key, field, args[field])
  end
end
call('HINCRBY', key, 'epoch', 1)
call('SADD', W .. 'void', args.name)
drop_codes(function(_, user) return user == args.name end)
return answer(call('HMGET', key, 'role', 'password_hash', 'epoch', 'disabled', 'created'))
