-- needs: dismissals
-- Refuse requests of a worker.
local wanted, keys = {}, {}
for _, key in ipairs(args.keys) do
  wanted[table.concat(key, SEP)] = true
end
for _, requested in ipairs(requests_of(args.worker)) do
  if wanted[table.concat(key_of(requested.spec), SEP)] then
    drop_request(args.worker, requested.spec)
    append(keys, key_of(requested.spec))
  end
end
if #keys == 0 then
  return refuse('not_awaiting')
end
return reply_dismissed(args.worker, keys)
