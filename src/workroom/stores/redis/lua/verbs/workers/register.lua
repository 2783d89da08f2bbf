-- needs: registration sessions
-- Register a worker and its extensions.
local key, specs = W .. 'worker:' .. args.id, args.specs
local owner = call('HGET', key, 'user')
if owner and owner ~= args.user then
  return refuse('forbidden')
end
local dismissal = dismissal_of(args.id)
if dismissal then
  return refuse('worker_dismissed', dismissal)
end
local conflict_code, fields = conflict_of(specs, args.id, false)
if conflict_code then
  return refuse(conflict_code, fields)
end
for _, spec in ipairs(specs) do
  if spec[SPEC.room] ~= '' and is_missing(spec[SPEC.room]) then
    return refuse('room_not_found', {spec[SPEC.room]})
  end
end

-- Keep only the most recent of a user's workers that left.
local function forget_gone(user)
  local list = W .. 'workers:user:' .. user
  local left = 0
  for _, id in ipairs(call('ZREVRANGE', list, 0, -1)) do
    local is_here = call('ZSCORE', W .. 'serving', id) or call('HGET', W .. 'worker:' .. id, 'online') == '1'
    left = left + (is_here and 0 or 1)
    if not is_here and left > GONE_WORKERS and call('EXISTS', W .. 'held:' .. id) == 0 then
      call('DEL', W .. 'worker:' .. id)
      call('ZREM', W .. 'leases', id)
      call('ZREM', W .. 'offline', id)
      call('ZREM', list, id)
    end
  end
end

local trusted, requested, offered = {}, {}, {}
for _, room in ipairs(args.trusted) do
  trusted[room] = true
end
for _, spec in ipairs(specs) do
  append(awaits_consent(spec, args.id, args.user, trusted) and requested or offered, spec)
end
local before, ids, created = {}, {}, {}
for _, id in ipairs(offers_of(args.id)) do
  before[id] = true
end
for index, spec in ipairs(offered) do
  ids[index] = put(spec, args.id, created, false)
end
if not owner then
  forget_gone(args.user)
  call('ZADD', W .. 'workers:user:' .. args.user, NOW, args.id)
  call('HSET', key, 'user', args.user, 'session', 0, 'online', 0, 'draining', 0, 'registered', NOW, 'since', NOW)
end
call('HSET', key, 'name', args.name, 'runner', args.runner, 'slots', args.slots, 'machine', args.machine)
call('ZREM', W .. 'offline', args.id)
clear_offers(args.id)
for _, id in ipairs(ids) do
  call('SADD', W .. 'offers:' .. args.id, id)
  call('SADD', W .. 'offered:' .. id, args.id)
  before[id] = nil
end
call('DEL', W .. 'requests:' .. args.id)
for _, spec in ipairs(requested) do
  request(args.id, spec, args.user)
end
if #specs > 0 then
  call('ZADD', W .. 'serving', call('HGET', key, 'registered'), args.id)
else
  call('ZREM', W .. 'serving', args.id)
end
depart(before, 0, true)
retire(before)
save_lease(args.id)
grant(args.id)
for index, id in ipairs(ids) do
  ids[index] = tonumber(id)
end
return reply_packed(pack_with({not owner, ids, created, request_rows(args.id)}, build_step()))
