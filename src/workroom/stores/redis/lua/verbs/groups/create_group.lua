-- needs: step rooms
-- Create a group. One that exists stays as it is.
if is_missing(args.room) then
  return refuse('room_not_found', {args.room})
end
local key = W .. 'group:' .. args.id
if call('HSETNX', key, 'room', args.room) == 1 then
  local sequence = call('HINCRBY', W .. 'meta', 'group', 1)
  call('HSET', key, 'sequence', sequence, 'user', args.user, 'title', args.title, 'parameters', args.parameters,
    'created', NOW, 'is_open', 1, 'version', 1)
  call('ZADD', W .. 'job_groups:' .. args.room, sequence, args.id)
end
return reply_with(true)
