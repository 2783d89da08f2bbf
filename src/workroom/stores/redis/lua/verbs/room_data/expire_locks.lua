-- needs: room_locks
local expired = {}
for _, name in ipairs(args.locks) do
  if not find_lock(name[1], name[2]) and delete_lock(name[1], name[2]) then
    append(expired, name)
  end
end
return reply_with(expired)
