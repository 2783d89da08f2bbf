-- needs: room_frames
-- Delete segments and pieces that were not touched since. The caller knows that no index uses them.
local room, deleted = args.room, {}
for _, name in ipairs(args.segments) do
  if is_collected(room, 's', name, args.since) then
    call('HDEL', room_key('segments', room), name)
  end
end
for _, name in ipairs(args.pieces) do
  local piece = is_collected(room, 'p', name, args.since) and find_piece(room, name)
  if piece then
    for _, array in ipairs(piece[PIECE.arrays]) do
      local place = call('HGET', room_key('arrays', room), array[1])
      if place and cmsgpack.unpack(place)[1] == name then
        call('HDEL', room_key('arrays', room), array[1])
      end
    end
    orphan(piece[PIECE.blob])
    for _, kind in ipairs({'pieces', 'directories', 'piece_blobs'}) do
      call('HDEL', room_key(kind, room), name)
    end
    append(deleted, name)
  end
end
return reply_with(deleted)
