-- needs: ledger rooms
-- Extensions become known. All is checked before anything is changed.
local ROOM, CATEGORY, NAME, SCHEMA, SCHEMA_HASH, RUNNER, OWNER, POLICY, ACTOR = 1, 2, 3, 4, 5, 6, 7, 8, 9

local function standing(room, category, name)
  local id = call('HGET', W .. 'exts', table.concat({room, category, name}, SEP))
  return id and extension_of(id)
end

-- May a spec be registered beside an extension of its name? The domain says why not.
local function is_conflict(spec, extension)
  if extension.runner ~= 'remote' and extension.runner ~= spec[RUNNER] then
    return true
  end
  return extension.schema_hash ~= spec[SCHEMA_HASH]
end

-- Does anything but this worker depend on the extension as it stands, owner and policy included?
local function is_depended_on(extension, worker)
  if extension.runner ~= 'remote' or is_unfinished(extension.id) then
    return true
  end
  local others = call('SCARD', W .. 'offered:' .. extension.id)
  return others > call('SISMEMBER', W .. 'offered:' .. extension.id, worker)
end

-- The extension of this name, and whether it stands in the way.
local function obstacle(spec, worker, is_own)
  if spec[ROOM] ~= '' then
    local public = standing('', spec[CATEGORY], spec[NAME])
    local is_taken = public and public.active and is_conflict(spec, public)
    if is_taken then
      return public, true
    end
  end
  local extension = standing(spec[ROOM], spec[CATEGORY], spec[NAME])
  if extension and extension.active and not is_own and is_depended_on(extension, worker) then
    return extension, is_conflict(spec, extension)
  end
end

local function obstacle_to(specs, worker, is_own)
  for index, spec in ipairs(specs) do
    local extension, is_taken = obstacle(spec, worker, is_own)
    if is_taken then
      return {index, extension.where, extension.schema_hash, extension.runner}
    end
  end
end

local function write(id, spec)
  local key = W .. 'ext:' .. id
  local actor = call('HGET', key, 'actor')
  if actor and actor ~= '' then
    call('ZREM', W .. 'actor:' .. actor, id)
  end
  call('HSET', key, 'schema', spec[SCHEMA], 'schema_hash', spec[SCHEMA_HASH], 'runner', spec[RUNNER],
    'owner', spec[OWNER], 'policy', spec[POLICY], 'actor', spec[ACTOR] or '', 'active', 1)
  if spec[ACTOR] and spec[ROOM] == '' then
    call('ZADD', W .. 'actor:' .. spec[ACTOR], id, id)
  end
  known_extensions[id] = nil
end

local function create(spec)
  local id = string.format('%d', call('HINCRBY', W .. 'meta', 'extension', 1))
  call('HSET', W .. 'ext:' .. id, 'room', spec[ROOM], 'category', spec[CATEGORY], 'name', spec[NAME],
    'paused', 0, 'failures', 0, 'created', NOW)
  call('HSET', W .. 'exts', table.concat({spec[ROOM], spec[CATEGORY], spec[NAME]}, SEP), id)
  call('SADD', W .. 'exts:' .. spec[ROOM], id)
  write(id, spec)
  return id
end

-- One that had left comes back unpaused and trusted.
local function renew_trust(extension)
  call('HSET', extension.key, 'paused', 0, 'failures', 0)
  call('HDEL', extension.key, 'opened', 'trial')
  call('SREM', W .. 'broken', extension.id)
end

local function clear_remote_offers(id)
  for _, worker in ipairs(call('SMEMBERS', W .. 'offered:' .. id)) do
    if call('HGET', W .. 'worker:' .. worker, 'runner') == 'remote' then
      call('SREM', W .. 'offered:' .. id, worker)
      call('SREM', W .. 'offers:' .. worker, id)
      if call('SCARD', W .. 'offers:' .. worker) == 0 then
        call('ZREM', W .. 'serving', worker)
      end
    end
  end
end

local function put(spec, worker, created, is_own)
  local extension = standing(spec[ROOM], spec[CATEGORY], spec[NAME])
  if not extension then
    append(created, {spec[ROOM], spec[CATEGORY], spec[NAME]})
    return create(spec)
  end
  if extension.active and not is_own and is_depended_on(extension, worker) then
    return extension.id
  end
  if is_own then
    clear_remote_offers(extension.id)
  end
  if not extension.active then
    renew_trust(extension)
  end
  if not extension.active or extension.schema_hash ~= spec[SCHEMA_HASH] then
    append(created, {spec[ROOM], spec[CATEGORY], spec[NAME]})
  end
  write(extension.id, spec)
  for _, lane in ipairs(call('SMEMBERS', W .. 'lanes:' .. extension.id)) do
    rebalance(extension.id, lane)
  end
  return extension.id
end
