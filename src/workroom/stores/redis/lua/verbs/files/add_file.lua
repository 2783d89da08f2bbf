-- needs: fences rooms blobs
-- Access is checked when the file becomes visible, not when its upload began.
if args.fence then
  local job, refusal = running_job(nil, args.fence)
  if not job then
    return refuse(refusal[1], {refusal[2]})
  end
end
if is_missing(args.room) or not (args.fence or admits_as_member(args.room, args.user, args.epoch)) then
  return refuse('room_not_found', {args.room})
end
refer_to(args.blob, args.user, args.room, 1)
local sequence = call('HINCRBY', W .. 'meta', 'file', 1)
call('HSET', W .. 'file:' .. args.id, 'seq', sequence, 'room', args.room, 'user', args.user, 'name', args.name,
  'media_type', args.media_type, 'blob', args.blob[1], 'size', args.blob[2], 'sha256', args.blob[3], 'created', NOW)
call('ZADD', W .. 'files:' .. args.room, sequence, args.id)
return reply_with({sequence, NOW})
