-- needs: base
local known_extensions = {}

local function extension_of(id)
  if known_extensions[id] == nil then
    local key = W .. 'ext:' .. id
    local values = call('HMGET', key, 'active', 'schema_hash', 'room', 'category', 'name', 'runner', 'policy',
      'paused', 'ends', 'opened', 'trial', 'owner', 'left', 'leaves')
    known_extensions[id] = values[1] and {
      id = id, key = key, active = values[1] == '1', schema_hash = values[2],
      room = values[3], category = values[4], name = values[5], where = {values[3], values[4], values[5]},
      runner = values[6], policy = cjson.decode(values[7]), paused = values[8] == '1',
      ends = values[9], opened = tonumber(values[10]), trial = values[11] or nil,
      owner = values[12], left = tonumber(values[13]), leaves = tonumber(values[14]),
    }
  end
  return known_extensions[id]
end

-- The extension of this name, whether it is active or not.
local function extension_named(room, category, name)
  local id = call('HGET', W .. 'exts', table.concat({room, category, name}, SEP))
  return id and extension_of(id)
end

-- Forget that its last worker left.
local function clear_departure(extension)
  extension.left, extension.leaves = nil, nil
  call('HDEL', extension.key, 'left', 'leaves')
  call('ZREM', W .. 'departed', extension.id)
end

-- A value of a policy, nil where JSON has null.
local function policy_value(extension, name)
  local value = extension.policy[name]
  if value == cjson.null then
    return nil
  end
  return value
end

local function is_waiting_for(id)
  return call('ZCARD', W .. 'ready:' .. id) > 0 or call('SCARD', W .. 'lanes:' .. id) > 0
    or call('SCARD', W .. 'due:' .. id) > 0
end

local function is_unfinished(id)
  return is_waiting_for(id) or call('SCARD', W .. 'attempts:' .. id) > 0
end

-- How many jobs of the extension are ready, up to a thousand.
local function waiting(id)
  return math.min(1000, call('ZCARD', W .. 'ready:' .. id))
end
