-- needs: codes blobs presets
-- Hide a room and its extensions. Its jobs are kept, so its name stays taken.
local key = W .. 'room:' .. args.name
if call('EXISTS', key) == 1 then
  call('HSET', key, 'deleted', 1)
  call('SREM', W .. 'rooms:user:' .. call('HGET', key, 'owner'), args.name)
end
call('ZREM', W .. 'rooms', args.name)
call('DEL', W .. 'members:' .. args.name, W .. 'viewers:' .. args.name, W .. 'removals:' .. args.name)
for _, id in ipairs(call('SMEMBERS', W .. 'exts:' .. args.name)) do
  call('HSET', W .. 'ext:' .. id, 'active', 0, 'schema', '')
  call('SREM', W .. 'exts:user:' .. call('HGET', W .. 'ext:' .. id, 'owner'), id)
  call('HDEL', W .. 'ext:' .. id, 'left', 'leaves')
  call('ZREM', W .. 'departed', id)
  call('SREM', W .. 'kept_exts', id)
end
for _, id in ipairs(call('ZRANGE', W .. 'files:' .. args.name, 0, -1)) do
  orphan(call('HGET', W .. 'file:' .. id, 'blob'))
  call('DEL', W .. 'file:' .. id)
end
call('DEL', W .. 'files:' .. args.name)
clear_presets(args.name)
for _, blob in ipairs(call('HVALS', W .. 'piece_blobs:' .. args.name)) do
  orphan(blob)
end
for _, kind in ipairs({
  'data', 'locks', 'places', 'documents', 'contents', 'refs', 'versions', 'history', 'requests', 'groups', 'changed',
  'pieces', 'directories', 'piece_blobs', 'segments', 'arrays', 'touched', 'frame_names',
}) do
  call('UNLINK', W .. kind .. ':' .. args.name)
end
for _, index in ipairs(call('SMEMBERS', W .. 'record_keys:' .. args.name)) do
  call('UNLINK', index)
end
call('UNLINK', W .. 'records:' .. args.name, W .. 'record_keys:' .. args.name)
for _, name in ipairs(call('HKEYS', W .. 'job_edits')) do
  if name:sub(1, #args.name + 1) == args.name .. SEP then
    call('HDEL', W .. 'job_edits', name)
  end
end
drop_codes(function(_, _, room) return room == args.name end)
return reply_with(true)
