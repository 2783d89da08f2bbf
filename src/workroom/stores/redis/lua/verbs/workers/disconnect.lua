-- needs: step rules/lease
-- Shorten the lease to the grace period, unless the session is stale.
local session, own = unpack(call('HMGET', W .. 'worker:' .. args.worker, 'session', 'lease'))
local until_us = tonumber(call('ZSCORE', W .. 'leases', args.worker) or nil)
if until_us and tonumber(session) == args.session then
  local shortened = lease.until_after_disconnect(
    until_us, MONO, args.grace, tonumber(own or nil) or args.lease, args.lease)
  call('ZADD', W .. 'leases', shortened, args.worker)
end
return reply_with(true)
