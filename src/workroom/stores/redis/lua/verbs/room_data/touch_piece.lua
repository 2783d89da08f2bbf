-- needs: room_frames
local piece = find_piece(args.room, args.name)
if not piece then
  return reply_with(false)
end
touch_piece(args.room, args.name, piece)
return reply_with({piece, call('HGET', room_key('directories', args.room), args.name)})
