-- needs: step_builder rooms consent
-- Registers extensions. Everything is checked before anything changes.
local ROOM, CATEGORY, NAME, SCHEMA, SCHEMA_HASH, RUNNER, OWNER, POLICY, ACTOR = 1, 2, 3, 4, 5, 6, 7, 8, 9

-- Whether a spec conflicts with an extension of its name; the domain decides on the error.
local function is_conflict(spec, extension)
  if extension.runner ~= 'remote' and extension.runner ~= spec[RUNNER] then
    return true
  end
  return extension.schema_hash ~= spec[SCHEMA_HASH]
end

-- Whether anything but this worker depends on the extension as it is registered.
local function is_depended_on(extension, worker)
  if extension.runner ~= 'remote' or is_unfinished(extension.id) then
    return true
  end
  local others = call('SCARD', W .. 'offered:' .. extension.id)
  return others > call('SISMEMBER', W .. 'offered:' .. extension.id, worker)
end

-- The extension of this name, if it conflicts.
local function obstacle(spec, worker, is_own)
  if spec[ROOM] ~= '' then
    local public = extension_named('', spec[CATEGORY], spec[NAME])
    local is_taken = public and public.active and is_conflict(spec, public)
    if is_taken then
      return public, true
    end
  end
  local extension = extension_named(spec[ROOM], spec[CATEGORY], spec[NAME])
  if extension and extension.active and not is_own and is_depended_on(extension, worker) then
    return extension, is_conflict(spec, extension)
  end
end

local function obstacle_to(specs, worker, is_own)
  for _, spec in ipairs(specs) do
    local extension, is_taken = obstacle(spec, worker, is_own)
    if is_taken then
      return {spec[SCHEMA_HASH], spec[RUNNER], extension.where, extension.schema_hash, extension.runner}
    end
  end
end

-- Whether another user offers this, in the room or in public, or the user is banned there.
local function awaits_consent(spec, worker, user, trusted)
  if spec[RUNNER] ~= 'remote' or trusted[spec[ROOM]] then
    return false
  end
  local extension = extension_named(spec[ROOM], spec[CATEGORY], spec[NAME])
  if extension and call('SISMEMBER', W .. 'consents:' .. extension.id, user) == 1 then
    return false
  end
  if is_banned(spec[ROOM], user) then
    return true
  end
  if extension and extension.active then
    return extension.owner ~= spec[OWNER] and is_depended_on(extension, worker)
  end
  local public = extension_named('', spec[CATEGORY], spec[NAME])
  return public and public.active and public.owner ~= spec[OWNER] or false
end

local function write(id, spec)
  local key = W .. 'ext:' .. id
  local actor = call('HGET', key, 'actor')
  if actor and actor ~= '' then
    call('ZREM', W .. 'actor:' .. actor, id)
  end
  local owner = call('HGET', key, 'owner')
  if owner and owner ~= spec[OWNER] then
    call('SREM', W .. 'exts:user:' .. owner, id)
  end
  call('SADD', W .. 'exts:user:' .. spec[OWNER], id)
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
    'paused', 0, 'ends', '', 'created', NOW)
  call('HSET', W .. 'exts', table.concat({spec[ROOM], spec[CATEGORY], spec[NAME]}, SEP), id)
  call('SADD', W .. 'exts:' .. spec[ROOM], id)
  call('SADD', W .. 'kept_exts', id)
  write(id, spec)
  return id
end

-- An extension that returns is not paused, and its breaker is closed.
local function renew_trust(extension)
  call('HSET', extension.key, 'paused', 0, 'ends', '')
  call('HDEL', extension.key, 'opened', 'trial')
  call('SREM', W .. 'broken', extension.id)
end

local function clear_remote_offers(id)
  for _, worker in ipairs(call('SMEMBERS', W .. 'offered:' .. id)) do
    if call('HGET', W .. 'worker:' .. worker, 'runner') == 'remote' then
      call('SREM', W .. 'offered:' .. id, worker)
      call('SREM', W .. 'offers:' .. worker, id)
      if not is_serving(worker) then
        call('ZREM', W .. 'serving', worker)
      end
    end
  end
end

local function put(spec, worker, created, is_own)
  local extension = extension_named(spec[ROOM], spec[CATEGORY], spec[NAME])
  if not extension then
    append(created, {spec[ROOM], spec[CATEGORY], spec[NAME]})
    return create(spec)
  end
  local was_away = extension.left ~= nil
  if was_away then
    clear_departure(extension)
    append(created, extension.where)
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
  if not was_away and (not extension.active or extension.schema_hash ~= spec[SCHEMA_HASH]) then
    append(created, {spec[ROOM], spec[CATEGORY], spec[NAME]})
  end
  if extension.owner ~= spec[OWNER] then
    call('DEL', W .. 'consents:' .. extension.id) -- they were given by another owner
  end
  write(extension.id, spec)
  for _, lane in ipairs(call('SMEMBERS', W .. 'lanes:' .. extension.id)) do
    rebalance(extension.id, lane)
  end
  return extension.id
end
