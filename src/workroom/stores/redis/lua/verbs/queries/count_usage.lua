-- needs: read
-- Counts of what quotas limit. Codes count until they expire.
local KIND, PER, SUBJECT = 1, 2, 3
local CODES = {invites = 'invite', pairings = 'pair'}

local function slots_of(workers)
  local count, slots = 0, 0
  for _, id in ipairs(workers) do
    local online, offered = unpack(call('HMGET', W .. 'worker:' .. id, 'online', 'slots'))
    if offered and (online == '1' or call('ZSCORE', W .. 'serving', id)) then
      count, slots = count + 1, slots + tonumber(offered)
    end
  end
  return count, slots
end

local function workers_of_room(room)
  local found, seen = {}, {}
  for _, id in ipairs(call('SMEMBERS', W .. 'exts:' .. room)) do
    for _, worker in ipairs(call('SMEMBERS', W .. 'offered:' .. id)) do
      if not seen[worker] then
        seen[worker] = true
        append(found, worker)
      end
    end
  end
  return found
end

local function workers_of(per, subject)
  if per == 'user' then
    return call('ZRANGE', W .. 'workers:user:' .. subject, 0, -1)
  elseif per == 'room' then
    return workers_of_room(subject)
  end
  return call('ZRANGE', W .. 'serving', 0, -1)
end

local function open_codes(kind, per, subject)
  local list = W .. 'codes:' .. CODES[kind]
  if per ~= 'total' then
    list = list .. ':' .. per .. ':' .. subject
  end
  return call('ZCOUNT', list, '(' .. args.now, '+inf')
end

local SIZES = {
  ['rooms user'] = function(user) return call('SCARD', W .. 'rooms:user:' .. user) end,
  ['rooms total'] = function() return call('ZCARD', W .. 'rooms') end,
  ['extensions user'] = function(user) return call('SCARD', W .. 'exts:user:' .. user) end,
  ['extensions room'] = function(room) return call('SCARD', W .. 'exts:' .. room) end,
  ['extensions total'] = function() return call('SCARD', W .. 'kept_exts') end,
  ['forms user'] = function(user) return call('HLEN', W .. 'forms:' .. user) end,
  ['presets room'] = function(room) return call('HLEN', W .. 'presets:' .. room .. SEP) end,
  ['members room'] = function(room) return call('SCARD', W .. 'members:' .. room) end,
  ['guests total'] = function() return call('SCARD', W .. 'guests') end,
}

local function count(counter)
  local kind, per, subject = counter[KIND], counter[PER], counter[SUBJECT]
  local size = SIZES[kind .. ' ' .. per]
  if size then
    return size(subject)
  elseif CODES[kind] then
    return open_codes(kind, per, subject)
  elseif kind == 'workers' or kind == 'slots' then
    local workers, slots = slots_of(workers_of(per, subject))
    return kind == 'workers' and workers or slots
  end
  local whose = per == 'total' and per or per .. ':' .. subject
  return tonumber(call('HGET', W .. 'quota:' .. whose, kind) or 0)
end

local found = {}
for _, counter in ipairs(args.counters) do
  append(found, count(counter))
end
return cmsgpack.pack(found)
