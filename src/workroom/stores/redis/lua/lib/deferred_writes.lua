-- needs: step
-- Writes to one key that the step does not read again are sent as one command.
local lists, order = {}, {}

local function list_for(command, key)
  local of_command = lists[command] or {}
  lists[command] = of_command
  if not of_command[key] then
    of_command[key] = {command, key, size = 2}
    order[#order + 1] = of_command[key]
  end
  return of_command[key]
end

local function write(list)
  if list.size > 2 then
    call(unpack(list, 1, list.size))
    list.size = 2
  end
end

local function defer(command, key, one, other)
  local list = list_for(command, key)
  if list.size > 2000 then
    write(list)
  end
  local size = list.size + 1
  list[size] = one
  if other ~= nil then
    size = size + 1
    list[size] = other
  end
  list.size = size
end

-- Write what was deferred for a key that is read again.
local function flush_key(command, key)
  write(list_for(command, key))
end

local function flush()
  for _, list in ipairs(order) do
    write(list)
  end
end
