-- needs: read requests
-- Workers with their attempts, offers and requests.
local FIELDS = {
  'user', 'name', 'runner', 'slots', 'machine', 'online', 'draining', 'session', 'registered', 'since', 'served',
}

local function find_worker(id)
  local worker = {id = id}
  for index, value in ipairs(call('HMGET', W .. 'worker:' .. id, unpack(FIELDS))) do
    worker[FIELDS[index]] = value
  end
  return worker.user and worker or nil
end

local function describe(id)
  local worker = find_worker(id)
  if not worker then
    return nil
  end
  local assigned, running, offers = 0, 0, {}
  for _, packed in ipairs(call('HVALS', W .. 'held:' .. id)) do
    local started = cmsgpack.unpack(packed)[ATTEMPT.started]
    assigned, running = assigned + 1 - started, running + started
  end
  local is_near = not args.room
  for _, ext in ipairs(call('SMEMBERS', W .. 'offers:' .. id)) do
    local extension = extension_of(ext)
    is_near = is_near or extension.room == '' or extension.room == args.room
    append(offers, extension.where)
  end
  if #offers == 0 and worker.online == '0' and worker.served then
    offers = cmsgpack.unpack(worker.served)
    for _, where in ipairs(offers) do
      is_near = is_near or where[1] == '' or where[1] == args.room
    end
  end
  local awaiting = request_rows(id)
  for _, row in ipairs(awaiting) do
    is_near = is_near or row[1][1] == args.room
  end
  worker.assigned, worker.running, worker.offers, worker.awaiting = assigned, running, offers, awaiting
  return is_near and row_of(WORKER_ROW, worker) or nil
end

local found = {}
for _, id in ipairs(args.id and {args.id} or call('ZRANGE', W .. 'serving', 0, -1)) do
  append(found, describe(id))
end
for _, id in ipairs(args.offline and call('ZRANGE', W .. 'offline', 0, -1) or {}) do
  local worker = describe(id)
  append(found, worker and #worker[WORKER_ROW.offers] > 0 and worker or nil)
end
return cmsgpack.pack(found)
