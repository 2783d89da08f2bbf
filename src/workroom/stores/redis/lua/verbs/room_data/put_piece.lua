-- needs: room_frames
-- Access is checked when the piece is stored, not when its upload began.
local room, name = args.room, args.name
local refused = check_access(room, args)
if not refused and not args.fence and not admits_as_member(room, args.user, args.epoch) then
  refused = {'room_not_found', {room}}
end
if refused then
  return refuse(refused[1], refused[2])
end
local known = find_piece(room, name)
if known then
  touch_piece(room, name, known)
  return reply_with({known, call('HGET', room_key('directories', room), name)})
end
local piece = args.piece
local used, missing = find_pieces(room, piece[PIECE.uses])
if missing then
  return refuse(missing[1], missing[2])
end
touch_pieces(room, used)
refer_to(args.blob, args.user, room, 0)
touch(room, 'p', name)
call('HSET', room_key('pieces', room), name, cmsgpack.pack(piece))
call('HSET', room_key('directories', room), name, args.directory)
call('HSET', room_key('piece_blobs', room), name, args.blob[1])
for _, array in ipairs(piece[PIECE.arrays]) do
  call('HSET', room_key('arrays', room), array[1], cmsgpack.pack({name, array[2]}))
end
return reply_with({piece, args.directory})
