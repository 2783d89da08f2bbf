-- needs: following
-- Note what is wanted of a group. Sweeps carry it out.
local key = links.key(args.group)
local sequence, is_cancelled = unpack(call('HMGET', key, 'sequence', 'is_cancelled'))
if not sequence then
  return refuse('group_not_found', {})
end
if is_cancelled == '1' and (args.change == 'pause' or args.change == 'resume') then
  return refuse('group_cancelled', {})
end
if args.change == 'close' or args.change == 'cancel' then
  call('HSET', key, 'is_open', 0)
end
if args.change == 'cancel' then
  call('HSET', key, 'is_cancelled', 1)
elseif args.change ~= 'close' then
  call('HSET', key, 'is_paused', args.change == 'pause' and 1 or 0)
end
if args.change ~= 'close' then
  call('HSET', key, 'change', args.change, 'changed_to', 0, 'actor', args.actor, 'reason', args.reason)
  call('ZADD', W .. 'changing_groups', sequence, args.group)
  wake_in(0)
end
links.conclude_group(args.group)
links.follow_up()
return reply_packed(build_step())
