-- needs: read extensions jobs rules/rates
-- The pending jobs of each extension by what keeps them back, and how its jobs ended.
local MOST = 1000 -- jobs of an extension among which the oldest is looked for

local function paced_of(ext, lanes)
  local found = {W .. 'paced:' .. ext .. ':'}
  for _, lane in ipairs(lanes) do
    append(found, lane ~= '' and W .. 'paced:' .. ext .. ':' .. lane or nil)
  end
  return found
end

local function parked_of(ext, lanes)
  local found = {}
  for _, lane in ipairs(lanes) do
    append(found, W .. 'parked:' .. ext .. ':' .. lane)
  end
  return found
end

-- How many members the sets have, the least of the first ones, and how many of those may still be read.
local function count(sets, least, left)
  local total = 0
  for _, name in ipairs(sets) do
    local size = call('ZCARD', name)
    total = total + size
    if size > 0 and left > 0 then
      for _, member in ipairs(call('ZRANGE', name, 0, left - 1)) do
        if not least or member < least then
          least = member
        end
      end
      left = left - math.min(size, left)
    end
  end
  return total, least, left
end

local function queue_of(id)
  local extension, lanes = extension_of(id), call('SMEMBERS', W .. 'lanes:' .. id)
  local ready, least, left = count({W .. 'ready:' .. id}, nil, MOST)
  local limited, paced
  limited, least, left = count(parked_of(id, lanes), least, left)
  if policy_value(extension, 'rate') or next(policy_value(extension, 'rates') or {}) then
    paced, least, left = count(paced_of(id, lanes), least, left)
  end
  local oldest = least and find_job(id_of(least))
  local completed, failed, cancelled = unpack(call('HMGET', W .. 'usage:' .. id, 'completed', 'failed', 'cancelled'))
  return row_of(QUEUE_ROW, {
    id = tonumber(id), key = extension.where, is_paused = extension.paused, is_broken = extension.opened ~= nil,
    ready = ready, limited = limited, paced = paced or 0, later = call('SCARD', W .. 'due:' .. id),
    oldest = oldest and oldest[JOB.created_us], completed = tonumber(completed) or 0, failed = tonumber(failed) or 0,
    cancelled = tonumber(cancelled) or 0,
  })
end

local found = {}
for _, id in ipairs(call('HVALS', W .. 'exts')) do
  if extension_of(id).active then
    append(found, queue_of(id))
  end
end
return cmsgpack.pack(found)
