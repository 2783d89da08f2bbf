-- needs: leases backoffs
-- A server has started: every worker gets a full lease.
call('HSETNX', W .. 'meta', 'version', args.version)
call('HSETNX', W .. 'meta', 'epoch', args.epoch)
local version = tonumber(call('HGET', W .. 'meta', 'version'))
if version ~= args.version then
  return refuse('other_version', {version, args.version})
end
local archive = call('HGET', W .. 'meta', 'archive')
if archive and archive ~= args.archive then
  return refuse(args.archive and 'other_archive' or 'no_archive', {})
end
if args.archive then
  call('HSET', W .. 'meta', 'archive', args.archive)
end
renew_everything()
cap_waits()
write_jobs()
call('HSET', W .. 'meta', 'swept', MONO, 'swept_at', NOW, 'kept_up', MONO)
return reply_with(call('HGET', W .. 'meta', 'epoch'))
