-- needs: room_locks rules/documents rules/versions
-- Documents, their contents and the versions of a room. Documents and versions are lists: see `DOCUMENT`, `VERSION`.
local function room_key(kind, room)
  return W .. kind .. ':' .. room
end

local function add(room, field, amount)
  if amount == 0 then
    return
  end
  return call('HINCRBY', room_key('data', room), field, string.format('%.0f', amount))
end

local function total(room, field)
  return tonumber(call('HGET', room_key('data', room), field) or 0)
end

local function target_of(key)
  return string.match(key, '^[^.]*')
end

local function is_volatile(key)
  return VOLATILE[target_of(key)]
end

local function content_name(key, number)
  return key .. SEP .. string.format('%.0f', number)
end

local function find_document(room, key)
  local packed = call('HGET', room_key('documents', room), key)
  return packed and cmsgpack.unpack(packed) or nil
end

local function content_of(room, key)
  local document = find_document(room, key)
  return document and document[DOCUMENT.content] or false
end

local function size_of_content(room, key, number)
  return call('HSTRLEN', room_key('contents', room), content_name(key, number))
end

local function insert_content(room, key, number, content)
  call('HSET', room_key('contents', room), content_name(key, number), content)
  add(room, 'kept', #content)
end

-- Count the references to a content, and delete it with the last one.
local function refer(room, key, number, more)
  if not number then
    return
  end
  local name = content_name(key, number)
  if call('HINCRBY', room_key('refs', room), name, more) <= 0 then
    add(room, 'kept', -size_of_content(room, key, number))
    call('HDEL', room_key('refs', room), name)
    call('HDEL', room_key('contents', room), name)
  end
end

-- Make a content that of a document, or delete the document. Returns {key, before, after}.
local function replace_content(room, key, number, after, writer, request)
  local before = find_document(room, key)
  local size = after and size_of_content(room, key, after) or 0
  refer(room, key, after, 1)
  if after then
    call('HSET', room_key('documents', room), key, cmsgpack.pack({
      key, number, after, size, writer.user, writer.fence and writer.fence[1] or false, NOW, request,
    }))
  else
    call('HDEL', room_key('documents', room), key)
  end
  local more = size - (before and before[DOCUMENT.size] or 0)
  if key == FRAMES then -- the index does not count as a document
    add(room, 'index', more)
  else
    add(room, 'documents', (after and 1 or 0) - (before and 1 or 0))
    add(room, 'bytes', more)
  end
  return {key, before and before[DOCUMENT.content] or false, after or false}
end

local function find_version(room, number)
  local packed = call('HGET', room_key('versions', room), string.format('%.0f', number))
  return packed and cmsgpack.unpack(packed) or nil
end

local function save_version(room, version)
  call('HSET', room_key('versions', room), string.format('%.0f', version[VERSION.number]), cmsgpack.pack(version))
end

local function refer_to_changes(room, changes, more)
  for _, change in ipairs(changes) do
    refer(room, change[1], change[2], more)
    refer(room, change[1], change[3], more)
  end
end

local function count_edit(room, version, more)
  if version[VERSION.kind] == 'change' or version[VERSION.kind] == 'restore' then
    add(room, 'edits', more)
  end
end

-- The newest version of a request, of a group, and that changed a document.
local function point_to(kind, room, name, number)
  if name ~= '' then
    call('HSET', room_key(kind, room), name, string.format('%.0f', number))
  end
end

local function forget_pointer(kind, room, name, number)
  if tonumber(call('HGET', room_key(kind, room), name)) == number then
    call('HDEL', room_key(kind, room), name)
  end
end

local function record_version(room, version)
  local number = version[VERSION.number]
  count_edit(room, version, 1)
  save_version(room, version)
  call('ZADD', room_key('history', room), number, string.format('%.0f', number))
  point_to('requests', room, version[VERSION.request], number)
  point_to('groups', room, version[VERSION.group], number)
  for _, change in ipairs(version[VERSION.changes]) do
    point_to('changed', room, change[1], number)
  end
  refer_to_changes(room, version[VERSION.changes], 1)
end

local function has_changed(version, target)
  for _, change in ipairs(version[VERSION.changes]) do
    if target_of(change[1]) == target then
      return true
    end
  end
  return false
end

-- The versions of a room, or those that changed a target, as {number, kind, state}, by number.
local function entries_of(room, target)
  local entries = {}
  for _, number in ipairs(call('ZRANGE', room_key('history', room), 0, -1)) do
    local version = find_version(room, tonumber(number))
    if not target or has_changed(version, target) then
      append(entries, {version[VERSION.number], version[VERSION.kind], version[VERSION.state]})
    end
  end
  return entries
end

local function set_state(room, number, state)
  local version = find_version(room, number)
  version[VERSION.state] = state
  save_version(room, version)
end

-- Something else is done: what is undone stays so.
local function drop_undone(room)
  if total(room, 'undone') > 0 then
    for _, entry in ipairs(entries_of(room)) do
      if entry[3] == 'undone' then
        set_state(room, entry[1], 'dropped')
      end
    end
    call('HDEL', room_key('data', room), 'undone')
  end
end

-- Drop the oldest versions as long as there are too many, or they are too old or too large.
local function trim_versions(room, limits)
  while true do
    local oldest = call('ZRANGE', room_key('history', room), 0, 0)[1]
    local version = oldest and find_version(room, tonumber(oldest))
    if not version or not versions.is_over(total(room, 'edits'), call('ZCARD', room_key('history', room)),
      NOW - version[VERSION.at_us], total(room, 'kept') - total(room, 'bytes') - total(room, 'index'),
      limits.versions, limits.keep_us, limits.history_bytes) then
      return
    end
    refer_to_changes(room, version[VERSION.changes], -1)
    count_edit(room, version, -1)
    if version[VERSION.state] == 'undone' then
      add(room, 'undone', -1)
    end
    call('HDEL', room_key('versions', room), oldest)
    forget_pointer('requests', room, version[VERSION.request], tonumber(oldest))
    forget_pointer('groups', room, version[VERSION.group], tonumber(oldest))
    for _, change in ipairs(version[VERSION.changes]) do
      forget_pointer('changed', room, change[1], tonumber(oldest))
    end
    call('ZREM', room_key('history', room), oldest)
  end
end

-- The refusal of a change that makes the room's documents too many or too large.
local function check_data_quota(room, more_documents, more_size, limits)
  local count, size = total(room, 'documents'), total(room, 'bytes')
  local quota = documents.exceeded(count, size, more_documents, more_size, limits.documents, limits.bytes)
  if quota then
    local is_count = quota == 'documents_per_room'
    return {'data_quota', {quota, is_count and limits.documents or limits.bytes, is_count and count or size}}
  end
end
