-- needs: forgiving
-- A server has come: everyone gets a full lease, and all of their time again.
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
forgive()
call('HSET', W .. 'meta', 'swept', MONO, 'swept_at', NOW, 'kept_up', MONO)
return answer(call('HGET', W .. 'meta', 'epoch'))
