-- needs: room_records
local room, fence = args.room, args.fence
local refused = check_access(room, args)
if refused then
  return refuse(refused[1], refused[2])
end
local before = find_record(room, args.kind, args.id)
local fields = args.fields
if before and before[RECORD.body] == args.body and cmsgpack.pack(before[RECORD.fields]) == cmsgpack.pack(fields) then
  return reply_with({before, false})
end
local more_size = #args.body - (before and #before[RECORD.body] or 0)
refused = check_record_quota(room, before and 0 or 1, more_size, args.limits)
if refused then
  return refuse(refused[1], refused[2])
end
if before then
  unindex_record(room, before)
end
local sequence = before and before[RECORD.sequence] or call('HINCRBY', W .. 'data:' .. room, 'record', 1)
local created = before and before[RECORD.created_us] or NOW
local record = {
  args.kind, args.id, sequence, args.body, fields, args.user, fence and fence[1] or false, created, NOW,
}
save_record(room, record)
count_records(room, before and 0 or 1, more_size)
return reply_with({record, true})
