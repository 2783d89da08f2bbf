-- needs: dismissals
-- Withdraw what a worker offers and requests in these rooms, or in all.
local user = call('HGET', W .. 'worker:' .. args.worker, 'user')
if not user then
  return refuse('worker_not_found')
end
local rooms, keys, ids, ended = {}, {}, {}, {}
for _, room in ipairs(args.rooms or {}) do
  rooms[room] = true
end
for _, id in ipairs(offers_of(args.worker)) do
  local extension = extension_of(id)
  if not args.rooms or rooms[extension.room] then
    append(ids, id)
    append(keys, extension.where)
    ended[extension.room] = true
  end
end
for _, requested in ipairs(requests_of(args.worker)) do
  if not args.rooms or rooms[requested.spec[SPEC.room]] then
    drop_request(args.worker, requested.spec)
    append(keys, key_of(requested.spec))
    ended[requested.spec[SPEC.room]] = true
  end
end
withdraw(args.worker, ids, args.reason)
if args.bans then
  for room in pairs(ended) do
    ban(room, user)
  end
end
return reply_dismissed(args.worker, keys)
