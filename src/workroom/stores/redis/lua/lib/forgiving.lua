-- needs: sessions
-- Nobody can be blamed for silence while nobody listened.
local function forgive()
  for _, worker in ipairs(call('ZRANGE', W .. 'leases', 0, -1)) do
    grant(worker)
  end
  for _, name in ipairs(call('ZRANGE', W .. 'unstarted', 0, -1)) do
    call('ZADD', W .. 'unstarted', 0, name)
  end
  for _, name in ipairs(call('ZRANGE', W .. 'limited', 0, -1)) do
    local worker, id, attempt = name:match('^(.-)' .. SEP .. '(.-)' .. SEP .. '(%d+)$')
    call('ZADD', W .. 'limited', MONO + find_attempt(worker, id, attempt)[TIMEOUT] * 1000000, name)
  end
end
