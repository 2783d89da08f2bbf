-- needs: room_frames
-- A new index of the frames. The caller made it from the index of the version `base`.
local room = args.room
local refused, job = check_access(room, args)
if refused then
  return refuse(refused[1], refused[2])
end
-- A frame must not be appended twice, also if others edit meanwhile.
local made_before = args.request ~= '' and call('HGET', room_key('requests', room), args.request)
local repeated = made_before and find_version(room, tonumber(made_before))
for _, change in ipairs(repeated and repeated[VERSION.changes] or {}) do
  if change[1] == FRAMES and change[3] then
    return reply_with({change[3], repeated[VERSION.at_us], false})
  end
end

local document = find_document(room, FRAMES)
local version = document and document[DOCUMENT.version] or NO_DOCUMENT
refused = check_writer(room, FRAMES, args, job)
if not refused and documents.decide(version, args.expected, false, false) == 'conflict' then
  refused = {'version_conflict', {FRAMES, version}}
end
if not refused and version ~= args.base then
  return reply_with(false)
end
if not refused and args.length > args.max_frames then
  refused = {'too_many_frames', {args.max_frames, args.length}}
end
local found, missing = find_pieces(room, args.pieces)
refused = refused or missing
if refused then
  return refuse(refused[1], refused[2])
end

touch_pieces(room, found)
for _, segment in ipairs(args.segments) do
  touch(room, 's', segment[1])
  call('HSETNX', room_key('segments', room), segment[1], segment[2])
end
return reply_with({write_content(room, FRAMES, args.index, args), NOW, true})
