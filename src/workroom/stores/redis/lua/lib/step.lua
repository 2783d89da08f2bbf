-- needs: base
-- The start of every step. A step that is sent again returns its first reply and changes nothing.
local known = call('HGET', KEYS[1], ARGV[1])
if known then
  return known
end

-- An emptied or exchanged store is not written to.
if ARGV[5] ~= '' and call('HGET', W .. 'meta', 'epoch') ~= ARGV[5] then
  return cmsgpack.pack({1, 'store_replaced', {}})
end

local args = cmsgpack.unpack(ARGV[4])
local NOW, MONO = tonumber(ARGV[2]), tonumber(ARGV[3])
if not NOW then
  local time = call('TIME')
  NOW = time[1] * 1000000 + time[2]
  MONO = NOW
end

local function reply(packed)
  call('HSET', KEYS[1], ARGV[1], packed)
  return packed
end

local function reply_with(value)
  return reply(cmsgpack.pack({0, value}))
end

local function list_head(size)
  return struct.pack('>BI4', 0xdd, size)
end

-- A MessagePack list of packed items.
local function list_of(items)
  return list_head(#items) .. table.concat(items)
end

-- A MessagePack list of values followed by a packed one.
local function pack_with(values, packed)
  return list_head(#values + 1) .. cmsgpack.pack(unpack(values)) .. packed
end

local function reply_packed(packed)
  return reply(pack_with({0}, packed))
end

-- Refuse the verb as a whole, before it changed anything.
local function refuse(code, fields)
  return reply(cmsgpack.pack({1, code, fields}))
end
