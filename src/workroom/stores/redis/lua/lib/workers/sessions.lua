-- needs: endings consent rules/lease
local function offers_of(worker)
  return call('SMEMBERS', W .. 'offers:' .. worker)
end

local function clear_offers(worker)
  for _, id in ipairs(offers_of(worker)) do
    call('SREM', W .. 'offered:' .. id, worker)
  end
  call('DEL', W .. 'offers:' .. worker)
end

-- The worker's own lease, if one of its extensions has one.
local function own_lease(worker)
  return tonumber(call('HGET', W .. 'worker:' .. worker, 'lease') or nil)
end

local function grant(worker)
  call('ZADD', W .. 'leases', MONO + (own_lease(worker) or args.lease), worker)
end

local function save_lease(worker)
  local leases, has_own = {}, false
  for _, id in ipairs(offers_of(worker)) do
    local seconds = policy_value(extension_of(id), 'lease')
    append(leases, seconds and seconds * 1000000 or false)
    has_own = has_own or seconds ~= nil
  end
  if has_own then
    call('HSET', W .. 'worker:' .. worker, 'lease', lease.lease_of(args.lease, leases))
  else
    call('HDEL', W .. 'worker:' .. worker, 'lease')
  end
end

-- What it offered stays on record with it, so that it is still listed where it served.
local function record_offline(worker, offers)
  local served = {}
  for _, id in ipairs(offers) do
    append(served, extension_of(id).where)
  end
  call('HSET', W .. 'worker:' .. worker, 'served', cmsgpack.pack(served))
  call('ZADD', W .. 'offline', NOW, worker)
end

-- Release all that the worker holds, and clear its offers. A lost worker may come back:
-- if it was draining, it still is.
local function close_worker(worker, reason, is_loss)
  local offers, held, was_serving = offers_of(worker), held_by(worker), is_serving(worker)
  lose(worker, held, reason, is_loss)
  clear_offers(worker)
  call('DEL', W .. 'requests:' .. worker)
  call('ZREM', W .. 'leases', worker)
  call('ZREM', W .. 'serving', worker)
  if call('EXISTS', W .. 'worker:' .. worker) == 1 then
    call('HSET', W .. 'worker:' .. worker, 'online', 0, 'since', NOW)
    if not is_loss then
      call('HSET', W .. 'worker:' .. worker, 'draining', 0)
    end
    call('HDEL', W .. 'worker:' .. worker, 'boot')
    record_offline(worker, offers)
  end
  local ids, departing = extensions_of(held), {}
  for _, id in ipairs(offers) do
    ids[id], departing[id] = true, true
  end
  depart(departing, args.linger or 0, false)
  retire(ids)
  if was_serving then
    append(step.offline, worker)
  end
end
