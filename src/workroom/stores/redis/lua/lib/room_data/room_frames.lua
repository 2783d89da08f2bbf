-- needs: room_edits blobs
-- Pieces and segments of frames. A piece is a list: see `PIECE`.
local function find_piece(room, name)
  local packed = call('HGET', room_key('pieces', room), name)
  return packed and cmsgpack.unpack(packed) or nil
end

-- `kind` is p for a piece and s for a segment.
local function touch(room, kind, name)
  call('HSET', room_key('touched', room), name, kind .. string.format('%.0f', NOW))
  call('ZADD', room_key('frame_names', room), 0, name)
end

local function touch_piece(room, name, piece)
  touch(room, 'p', name)
  for _, used in ipairs(piece[PIECE.uses]) do
    touch(room, 'p', used)
  end
end

-- The pieces of these names, and the refusal if some are not stored.
local function find_pieces(room, names)
  local found, missing = {}, {}
  for _, name in ipairs(names) do
    found[name] = find_piece(room, name)
    if not found[name] then
      append(missing, name)
    end
  end
  return found, #missing > 0 and {'piece_not_found', {missing}} or nil
end

local function touch_pieces(room, found)
  for name, piece in pairs(found) do
    touch_piece(room, name, piece)
  end
end

-- Whether it was not touched since; then its name is forgotten.
local function is_collected(room, kind, name, before)
  local touched = call('HGET', room_key('touched', room), name)
  if not touched or touched:sub(1, 1) ~= kind or tonumber(touched:sub(2)) >= before then
    return false
  end
  call('HDEL', room_key('touched', room), name)
  call('ZREM', room_key('frame_names', room), name)
  return true
end
