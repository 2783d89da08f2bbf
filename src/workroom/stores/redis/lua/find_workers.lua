-- needs: read extensions
-- Workers with what takes them up and what they offer.
local function describe(id)
  local values = call('HMGET', W .. 'worker:' .. id, 'user', 'name', 'runner', 'slots', 'machine', 'online',
    'draining', 'session', 'registered', 'since')
  if not values[1] then
    return nil
  end
  local assigned, running, offers = 0, 0, {}
  for _, packed in ipairs(call('HVALS', W .. 'held:' .. id)) do
    local started = cmsgpack.unpack(packed)[3]
    assigned, running = assigned + 1 - started, running + started
  end
  local is_near = not args.room
  for _, ext in ipairs(call('SMEMBERS', W .. 'offers:' .. id)) do
    local extension = extension_of(ext)
    is_near = is_near or extension.room == '' or extension.room == args.room
    append(offers, extension.where)
  end
  return is_near and {id, values, assigned, running, offers} or nil
end

local found = {}
for _, id in ipairs(args.id and {args.id} or call('ZRANGE', W .. 'serving', 0, -1)) do
  append(found, describe(id))
end
return cmsgpack.pack(found)
