-- needs: usage
-- The owner of each blob in use: {user, room, bytes, 1 for a file and 0 for a preview}.
local function refer_to(blob, user, room, is_file)
  local id, size = blob[1], blob[2]
  call('ZREM', W .. 'orphans', id)
  if call('HEXISTS', W .. 'blobs', id) == 0 then
    call('HSET', W .. 'blobs', id, cmsgpack.pack({user, room, size, is_file}))
    charge('bytes', user, room, size)
    charge('files', user, room, is_file)
  end
end

-- No file refers to the blob any more.
local function orphan(id)
  call('ZADD', W .. 'orphans', 0, id)
  local packed = call('HGET', W .. 'blobs', id)
  if packed then
    local user, room, size, is_file = unpack(cmsgpack.unpack(packed))
    call('HDEL', W .. 'blobs', id)
    charge('bytes', user, room, -size)
    charge('files', user, room, -is_file)
  end
end

-- Orphan the blob that is replaced.
local function replace_blob(before, blob, user, room, is_file)
  if before and before ~= blob[1] then
    orphan(before)
  end
  refer_to(blob, user, room, is_file)
end
