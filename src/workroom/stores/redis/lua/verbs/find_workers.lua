-- needs: read requests
-- Workers with their attempts, offers and requests.
local function describe(id)
  local values = call('HMGET', W .. 'worker:' .. id, 'user', 'name', 'runner', 'slots', 'machine', 'online',
    'draining', 'session', 'registered', 'since', 'served')
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
  if #offers == 0 and values[6] == '0' and values[11] then
    offers = cmsgpack.unpack(values[11])
    for _, where in ipairs(offers) do
      is_near = is_near or where[1] == '' or where[1] == args.room
    end
  end
  local awaiting = request_rows(id)
  for _, row in ipairs(awaiting) do
    is_near = is_near or row[1][1] == args.room
  end
  return is_near and {id, values, assigned, running, offers, awaiting} or nil
end

local found = {}
for _, id in ipairs(args.id and {args.id} or call('ZRANGE', W .. 'serving', 0, -1)) do
  append(found, describe(id))
end
for _, id in ipairs(args.offline and call('ZRANGE', W .. 'offline', 0, -1) or {}) do
  local worker = describe(id)
  append(found, worker and #worker[5] > 0 and worker or nil)
end
return cmsgpack.pack(found)
