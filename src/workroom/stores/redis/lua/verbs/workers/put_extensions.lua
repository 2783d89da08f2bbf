-- needs: registration
-- Replace the server's own extensions, and deactivate those that are not listed.
local conflict_code, fields = conflict_of(args.specs, '', true)
if conflict_code then
  return refuse(conflict_code, fields)
end
local ids, listed = {}, {}
for index, spec in ipairs(args.specs) do
  local id = put(spec, '', {}, true)
  ids[index], listed[id] = tonumber(id), true
end
for _, id in ipairs(call('HVALS', W .. 'exts')) do
  local extension = extension_of(id)
  if extension.active and extension.runner ~= 'remote' and not listed[id] then
    call('HSET', extension.key, 'active', 0)
  end
end
return reply_with(ids)
