-- needs: registration sessions
-- Accept requests, and remember the consent.
local user = call('HGET', W .. 'worker:' .. args.worker, 'user')
local wanted, specs, keys, created = {}, {}, {}, {}
for _, key in ipairs(args.keys) do
  wanted[table.concat(key, SEP)] = true
end
for _, requested in ipairs(requests_of(args.worker)) do
  if wanted[table.concat(key_of(requested.spec), SEP)] then
    append(specs, requested.spec)
    append(keys, key_of(requested.spec))
  end
end
if #specs == 0 then
  return refuse('not_awaiting')
end
local conflict_code, fields = conflict_of(specs, args.worker, false)
if conflict_code then
  return refuse(conflict_code, fields)
end
for _, spec in ipairs(specs) do
  local id = put(spec, args.worker, created, false)
  call('SADD', W .. 'offers:' .. args.worker, id)
  call('SADD', W .. 'offered:' .. id, args.worker)
  give_consent(id, spec[SPEC.room], user)
  drop_request(args.worker, spec)
end
save_lease(args.worker)
build_step()
return reply_with({keys, created, seating_of(args.worker)})
