-- needs: step requests
-- Consent, bans and dismissals.
local function is_serving(worker)
  return call('SCARD', W .. 'offers:' .. worker) > 0 or call('EXISTS', W .. 'requests:' .. worker) == 1
end

local function is_banned(room, user)
  local at = call('ZSCORE', W .. 'bans', room .. SEP .. user)
  return at and tonumber(at) >= NOW - DISMISSED_US or false
end

local function ban(room, user)
  call('ZADD', W .. 'bans', NOW, room .. SEP .. user)
  for _, id in ipairs(call('SMEMBERS', W .. 'exts:' .. room)) do
    call('SREM', W .. 'consents:' .. id, user)
  end
end

local function give_consent(id, room, user)
  call('SADD', W .. 'consents:' .. id, user)
  call('ZREM', W .. 'bans', room .. SEP .. user)
end

local function request(worker, spec, user)
  local key = table.concat(key_of(spec), SEP)
  call('HSET', W .. 'requests:' .. worker, key, cmsgpack.pack({spec, is_banned(spec[SPEC.room], user)}))
end

local function drop_request(worker, spec)
  call('HDEL', W .. 'requests:' .. worker, table.concat(key_of(spec), SEP))
end

-- Who dismissed a worker, and why.
local function dismissal_of(worker)
  local at = call('ZSCORE', W .. 'dismissed', worker)
  if at and tonumber(at) >= NOW - DISMISSED_US then
    return cmsgpack.unpack(call('HGET', W .. 'dismissals', worker))
  end
end

local function record_dismissal(worker, by, reason)
  call('ZADD', W .. 'dismissed', NOW, worker)
  call('HSET', W .. 'dismissals', worker, cmsgpack.pack({by, reason}))
end

local function refuse_worker(worker)
  local dismissal = dismissal_of(worker)
  if dismissal then
    return refuse('worker_dismissed', dismissal)
  end
  return refuse('worker_not_found')
end
