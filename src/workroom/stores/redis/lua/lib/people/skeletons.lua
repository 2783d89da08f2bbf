-- needs: step
-- Skeletons of ids and display names: no two accounts may share one.
local SKELETONS = W .. 'skeletons'

local function has_confusable(name, skeletons)
  for _, skeleton in ipairs(skeletons) do
    local holder = call('HGET', SKELETONS, skeleton)
    if holder and holder ~= name then
      return true
    end
  end
  return false
end

local function put_skeletons(name, skeletons)
  for _, skeleton in ipairs(skeletons) do
    call('HSET', SKELETONS, skeleton, name)
  end
  call('HSET', W .. 'account:' .. name, 'skeletons', cmsgpack.pack(skeletons))
end

local function clear_skeletons(name)
  local packed = call('HGET', W .. 'account:' .. name, 'skeletons')
  for _, skeleton in ipairs(packed and cmsgpack.unpack(packed) or {}) do
    call('HDEL', SKELETONS, skeleton)
  end
end
