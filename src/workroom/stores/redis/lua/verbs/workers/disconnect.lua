-- needs: step
-- Shorten the lease to the grace period, unless the session is stale.
local session = call('HGET', W .. 'worker:' .. args.worker, 'session')
local lease = call('ZSCORE', W .. 'leases', args.worker)
if lease and tonumber(session) == args.session then
  call('ZADD', W .. 'leases', math.min(tonumber(lease), MONO + args.grace), args.worker)
end
return reply_with(true)
