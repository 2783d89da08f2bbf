-- needs: step
-- What a step adds to one key, and does not read again, is written at once.
local delayed, order = {}, {}

local function later(command, key, one, other)
  local name = command .. key
  local list = delayed[name]
  if not list or #list > 2000 then
    list = {command, key}
    delayed[name] = list
    order[#order + 1] = list
  end
  list[#list + 1] = one
  list[#list + 1] = other
end

local function flush()
  for _, list in ipairs(order) do
    call(unpack(list))
  end
  delayed, order = {}, {}
end
