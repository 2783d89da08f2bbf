-- needs: ending
local function offers_of(worker)
  return call('SMEMBERS', W .. 'offers:' .. worker)
end

local function clear_offers(worker)
  for _, id in ipairs(offers_of(worker)) do
    call('SREM', W .. 'offered:' .. id, worker)
  end
  call('DEL', W .. 'offers:' .. worker)
end

local function grant(worker)
  call('ZADD', W .. 'leases', MONO + args.lease, worker)
end

-- Everything the worker held is given back or lost; it offers nothing any more.
local function close_worker(worker, reason, is_loss)
  local offers, held = offers_of(worker), held_by(worker)
  lose(worker, held, reason, is_loss)
  clear_offers(worker)
  call('ZREM', W .. 'leases', worker)
  call('ZREM', W .. 'serving', worker)
  if call('EXISTS', W .. 'worker:' .. worker) == 1 then
    call('HSET', W .. 'worker:' .. worker, 'online', 0, 'draining', 0, 'since', NOW)
    call('HDEL', W .. 'worker:' .. worker, 'boot')
  end
  local ids = extensions_of(held)
  for _, id in ipairs(offers) do
    ids[id] = true
  end
  retire(ids)
  if #offers > 0 then
    append(step.offline, worker)
  end
end
