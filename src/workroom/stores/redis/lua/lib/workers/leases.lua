-- needs: sessions
-- After an outage every worker gets a full lease, and every attempt its full time.
local function renew_everything()
  for _, worker in ipairs(call('ZRANGE', W .. 'leases', 0, -1)) do
    grant(worker)
  end
  for _, name in ipairs(call('ZRANGE', W .. 'unstarted', 0, -1)) do
    call('ZADD', W .. 'unstarted', 0, name)
  end
  for _, name in ipairs(call('ZRANGE', W .. 'limited', 0, -1)) do
    local worker, id, attempt = name:match('^(.-)' .. SEP .. '(.-)' .. SEP .. '(%d+)$')
    call('ZADD', W .. 'limited', MONO + find_attempt(worker, id, attempt)[ATTEMPT.timeout] * 1000000, name)
  end
end
