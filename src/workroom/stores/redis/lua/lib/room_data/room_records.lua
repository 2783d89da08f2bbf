-- needs: room_locks rules/documents
-- The records of a room. A record is a list: see `RECORD`; its fields are pairs of a name and an encoded value.
-- Each kind has for each field an index of `value SEP sequence SEP id`, in order, and one of all its records, whose
-- field and value are empty.
local function records_key(room)
  return W .. 'records:' .. room
end

local function record_name(kind, id)
  return kind .. SEP .. id
end

local function find_record(room, kind, id)
  local packed = call('HGET', records_key(room), record_name(kind, id))
  return packed and cmsgpack.unpack(packed) or nil
end

local function index_key(room, kind, field)
  return W .. 'record_index:' .. room .. SEP .. kind .. SEP .. field
end

local function index_entry(value, sequence, id)
  return value .. SEP .. string.format('%020.0f', sequence) .. SEP .. id
end

-- The indexes that have a record, and its entry in each.
local function entries_of(room, record)
  local kind, sequence, id = record[RECORD.kind], record[RECORD.sequence], record[RECORD.id]
  local entries = {{index_key(room, kind, ''), index_entry('', sequence, id)}}
  for _, pair in ipairs(record[RECORD.fields]) do
    append(entries, {index_key(room, kind, pair[1]), index_entry(pair[2], sequence, id)})
  end
  return entries
end

local function unindex_record(room, record)
  for _, entry in ipairs(entries_of(room, record)) do
    call('ZREM', entry[1], entry[2])
  end
end

local function save_record(room, record)
  call('HSET', records_key(room), record_name(record[RECORD.kind], record[RECORD.id]), cmsgpack.pack(record))
  for _, entry in ipairs(entries_of(room, record)) do
    call('ZADD', entry[1], 0, entry[2])
    call('SADD', W .. 'record_keys:' .. room, entry[1])
  end
end

local function record_total(room, field)
  return tonumber(call('HGET', W .. 'data:' .. room, field) or 0)
end

local function count_records(room, records, size)
  call('HINCRBY', W .. 'data:' .. room, 'records', records)
  call('HINCRBY', W .. 'data:' .. room, 'record_bytes', string.format('%.0f', size))
end

local function check_record_quota(room, more_records, more_size, limits)
  local count, size = record_total(room, 'records'), record_total(room, 'record_bytes')
  local quota = documents.exceeded(count, size, more_records, more_size, limits.records, limits.bytes)
  if quota then
    local is_count = quota == 'documents_per_room'
    return {'record_quota', {quota, is_count and limits.records or limits.bytes, is_count and count or size}}
  end
end
