-- needs: registering sessions
-- A worker and its list of extensions become known.
local key, specs = W .. 'worker:' .. args.id, args.specs
local owner = call('HGET', key, 'user')
if owner and owner ~= args.user then
  return refuse('forbidden')
end
local refusal = obstacle_to(specs, args.id, false)
if refusal then
  return refuse('conflict', refusal)
end
for _, spec in ipairs(specs) do
  if spec[ROOM] ~= '' and is_deleted(spec[ROOM]) then
    return refuse('room_not_found', {spec[ROOM]})
  end
end

local before, ids, created = {}, {}, {}
for _, id in ipairs(offers_of(args.id)) do
  before[id] = true
end
for index, spec in ipairs(specs) do
  ids[index] = put(spec, args.id, created, false)
  if spec[ROOM] ~= '' then
    make_room(spec[ROOM], args.user)
  end
end
if not owner then
  call('HSET', key, 'user', args.user, 'session', 0, 'online', 0, 'draining', 0, 'registered', NOW, 'since', NOW)
end
call('HSET', key, 'name', args.name, 'runner', args.runner, 'slots', args.slots, 'machine', args.machine)
clear_offers(args.id)
for _, id in ipairs(ids) do
  call('SADD', W .. 'offers:' .. args.id, id)
  call('SADD', W .. 'offered:' .. id, args.id)
  before[id] = nil
end
if #ids > 0 then
  call('ZADD', W .. 'serving', call('HGET', key, 'registered'), args.id)
else
  call('ZREM', W .. 'serving', args.id)
end
retire(before)
grant(args.id)
for index, id in ipairs(ids) do
  ids[index] = tonumber(id)
end
return answer_packed(pack_with({not owner, ids, created}, close()))
