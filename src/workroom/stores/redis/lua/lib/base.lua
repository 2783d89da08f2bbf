local call = redis.call
local W, SEP = '{workroom}:', '\31'

local function append(list, item)
  list[#list + 1] = item
end
