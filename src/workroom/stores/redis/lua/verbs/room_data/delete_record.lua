-- needs: room_records
local room = args.room
local refused = check_access(room, args)
if refused then
  return refuse(refused[1], refused[2])
end
local record = find_record(room, args.kind, args.id)
if not record then
  return reply_with(false)
end
unindex_record(room, record)
call('HDEL', records_key(room), record_name(args.kind, args.id))
count_records(room, -1, -#record[RECORD.body])
return reply_with(true)
