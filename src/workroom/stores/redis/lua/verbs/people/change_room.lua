-- needs: step
local key = W .. 'room:' .. args.name
if call('EXISTS', key) == 1 then
  for _, field in ipairs({'title', 'private', 'workers'}) do
    if args[field] ~= nil then
      call('HSET', key, field, args[field])
    end
  end
end
return reply_with(true)
