-- needs: base
-- Presets of a room and of each person in it: who saved them, and their values.
local PRESET_USER, PRESET_REVISION = 1, 2

local function presets_of(room, holder)
  local whose = room .. SEP .. holder
  return W .. 'presets:' .. whose, W .. 'preset_values:' .. whose
end

local function find_preset(room, holder, field)
  local index, values = presets_of(room, holder)
  local packed = call('HGET', index, field)
  if not packed then
    return false, false
  end
  return cmsgpack.unpack(packed), call('HGET', values, field)
end

local function charge_preset(user, amount)
  for _, name in ipairs({'user:' .. user, 'total'}) do
    if call('HINCRBY', W .. 'quota:' .. name, 'presets', amount) == 0 then
      call('HDEL', W .. 'quota:' .. name, 'presets')
    end
  end
end

local function put_preset(room, holder, field, preset, data)
  local index, values = presets_of(room, holder)
  call('HSET', index, field, cmsgpack.pack(preset))
  call('HSET', values, field, data)
  call('SADD', W .. 'preset_holders:' .. room, holder)
end

local function remove_preset(room, holder, field)
  local index, values = presets_of(room, holder)
  call('HDEL', index, field)
  call('HDEL', values, field)
  if call('EXISTS', index) == 0 then
    call('SREM', W .. 'preset_holders:' .. room, holder)
  end
end

local function clear_presets(room)
  for _, holder in ipairs(call('SMEMBERS', W .. 'preset_holders:' .. room)) do
    local index, values = presets_of(room, holder)
    for _, packed in ipairs(call('HVALS', index)) do
      charge_preset(cmsgpack.unpack(packed)[PRESET_USER], -1)
    end
    call('DEL', index, values)
  end
  call('DEL', W .. 'preset_holders:' .. room)
end
