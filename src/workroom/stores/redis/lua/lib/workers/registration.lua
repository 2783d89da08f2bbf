-- needs: step_builder rooms consent rules/registration rules/consent
-- Registers extensions. Everything is checked before anything changes.

local function conflict(spec, extension)
  if not extension then
    return 'none'
  end
  return registration.conflict(spec[SPEC.runner], extension.runner, extension.schema_hash == spec[SPEC.schema_hash])
end

local function is_held(extension, worker)
  local offered = W .. 'offered:' .. extension.id
  local has_other_offers = call('SCARD', offered) > call('SISMEMBER', offered, worker)
  return registration.is_held(extension.runner, has_other_offers, is_unfinished(extension.id))
end

-- The active public extension of this name, besides which a room's own is registered.
local function public_beside(spec)
  local public = spec[SPEC.room] ~= '' and extension_named('', spec[SPEC.category], spec[SPEC.name])
  return public and public.active and public or nil
end

local function name_of(spec)
  return spec[SPEC.category] .. SEP .. spec[SPEC.name]
end

-- The public extensions that are registered in the same step, as they will be.
local function public_among(specs)
  local found = {}
  for _, spec in ipairs(specs) do
    if spec[SPEC.room] == '' then
      found[name_of(spec)] = {where = key_of(spec), runner = spec[SPEC.runner], schema_hash = spec[SPEC.schema_hash]}
    end
  end
  return found
end

-- What becomes of a spec and of the extension that has its name.
local function judge(spec, worker, is_own, public)
  local extension = extension_named(spec[SPEC.room], spec[SPEC.category], spec[SPEC.name]) or nil
  local verdict = registration.decide(conflict(spec, public), conflict(spec, extension), extension ~= nil,
    extension ~= nil and extension.active, extension ~= nil and is_held(extension, worker), is_own)
  return verdict, extension
end

-- The code and the fields of the refusal, if a spec conflicts with what is registered.
local function conflict_of(specs, worker, is_own)
  local together = public_among(specs)
  for _, spec in ipairs(specs) do
    local public = spec[SPEC.room] ~= '' and together[name_of(spec)] or public_beside(spec)
    local verdict, extension = judge(spec, worker, is_own, public)
    local registered = conflict(spec, public) ~= 'none' and public or extension
    if verdict == 'name_reserved' then
      return verdict, {registered.where}
    elseif verdict == 'other_schema' then
      return verdict, {registered.where, registered.schema_hash, spec[SPEC.schema_hash]}
    end
  end
end

local function awaits_consent(spec, worker, user, trusted)
  local extension = extension_named(spec[SPEC.room], spec[SPEC.category], spec[SPEC.name]) or nil
  local public = public_beside(spec)
  return consent.is_needed(spec[SPEC.runner], trusted[spec[SPEC.room]] or false,
    extension ~= nil and call('SISMEMBER', W .. 'consents:' .. extension.id, user) == 1, is_banned(spec[SPEC.room], user),
    extension ~= nil and extension.active, extension ~= nil and is_held(extension, worker),
    extension ~= nil and extension.owner ~= spec[SPEC.owner], public ~= nil, public ~= nil and public.owner ~= spec[SPEC.owner])
end

local function write(id, spec)
  local key = W .. 'ext:' .. id
  local actor = call('HGET', key, 'actor')
  if actor and actor ~= '' then
    call('ZREM', W .. 'actor:' .. actor, id)
  end
  local owner = call('HGET', key, 'owner')
  if owner and owner ~= spec[SPEC.owner] then
    call('SREM', W .. 'exts:user:' .. owner, id)
  end
  call('SADD', W .. 'exts:user:' .. spec[SPEC.owner], id)
  call('HSET', key, 'schema', spec[SPEC.schema], 'schema_hash', spec[SPEC.schema_hash], 'runner', spec[SPEC.runner],
    'owner', spec[SPEC.owner], 'policy', spec[SPEC.policy], 'actor', spec[SPEC.actor] or '', 'active', 1)
  if spec[SPEC.actor] and spec[SPEC.room] == '' then
    call('ZADD', W .. 'actor:' .. spec[SPEC.actor], id, id)
  end
  known_extensions[id] = nil
end

local function create(spec)
  local id = string.format('%d', call('HINCRBY', W .. 'meta', 'extension', 1))
  call('HSET', W .. 'ext:' .. id, 'room', spec[SPEC.room], 'category', spec[SPEC.category], 'name', spec[SPEC.name],
    'paused', 0, 'ends', '', 'created', NOW)
  call('HSET', W .. 'exts', table.concat({spec[SPEC.room], spec[SPEC.category], spec[SPEC.name]}, SEP), id)
  call('SADD', W .. 'exts:' .. spec[SPEC.room], id)
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

-- Conflicts were refused before.
local function put(spec, worker, created, is_own)
  local verdict, extension = judge(spec, worker, is_own)
  if verdict == 'create' then
    append(created, {spec[SPEC.room], spec[SPEC.category], spec[SPEC.name]})
    return create(spec)
  end
  local was_away = extension.left ~= nil
  if was_away then
    clear_departure(extension)
    append(created, extension.where)
  end
  if verdict == 'join' then
    return extension.id
  end
  if is_own then
    clear_remote_offers(extension.id)
  end
  if verdict == 'revive' then
    renew_trust(extension)
  end
  if not was_away and (verdict == 'revive' or extension.schema_hash ~= spec[SPEC.schema_hash]) then
    append(created, {spec[SPEC.room], spec[SPEC.category], spec[SPEC.name]})
  end
  if extension.owner ~= spec[SPEC.owner] then
    call('DEL', W .. 'consents:' .. extension.id) -- they were given by another owner
  end
  local policy = call('HGET', extension.key, 'policy')
  if policy == spec[SPEC.policy] then
    write(extension.id, spec)
    return extension.id
  end
  park_all(extension.id)
  write(extension.id, spec)
  for _, lane in ipairs(call('SMEMBERS', W .. 'lanes:' .. extension.id)) do
    rebalance(extension.id, lane)
  end
  return extension.id
end
