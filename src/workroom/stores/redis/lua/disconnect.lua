-- needs: step
-- The socket is gone: the lease shrinks to the grace. A late word about an older session changes nothing.
local session = call('HGET', W .. 'worker:' .. args.worker, 'session')
local lease = call('ZSCORE', W .. 'leases', args.worker)
if lease and tonumber(session) == args.session then
  call('ZADD', W .. 'leases', math.min(tonumber(lease), MONO + args.grace), args.worker)
end
return answer(true)
