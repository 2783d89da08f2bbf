-- needs: read
-- Groups, newest first, as flat lists of names and values.
local ids = args.ids
if not ids then
  ids = call('ZREVRANGEBYSCORE', W .. 'job_groups:' .. args.room, '(' .. args.before, '-inf', 'LIMIT', 0, args.limit)
end
local found = {}
for _, id in ipairs(ids) do
  local values = call('HGETALL', W .. 'group:' .. id)
  if values[1] then
    append(found, {id, values})
  end
end
return cmsgpack.pack(found)
