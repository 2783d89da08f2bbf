-- needs: base
-- The last ends of each extension, newest first, packed as in domain/storage/recent_ends.py.
local function recent_end(status, created_us, started_us, ended_us)
  local wait_ms, execution_ms = NEVER_STARTED, NEVER_STARTED
  if started_us then
    wait_ms = math.max(0, (started_us - created_us) / 1000)
    execution_ms = math.max(0, (ended_us - started_us) / 1000)
  end
  return struct.pack('<I4Bff', math.floor(ended_us / 1000000), END_CODES[status], wait_ms, execution_ms)
end

-- Trimmed only when twice as long as needed, so that most steps write once.
local function keep_recent(id, ends)
  local key = W .. 'recent:' .. id
  local length = call('LPUSH', key, unpack(ends, math.max(1, #ends - RECENT_ENDS + 1)))
  if length > 2 * RECENT_ENDS then
    call('LTRIM', key, 0, RECENT_ENDS - 1)
  end
end

local function recent_ends(id)
  return table.concat(call('LRANGE', W .. 'recent:' .. id, 0, RECENT_ENDS - 1))
end
