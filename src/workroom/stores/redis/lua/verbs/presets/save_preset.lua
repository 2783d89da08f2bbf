-- needs: rooms presets
-- Nobody replaces a revision that they have not seen.
if is_missing(args.room) then
  return refuse('room_not_found', {args.room})
end
local before = find_preset(args.room, args.holder, args.field)
if (before and before[PRESET_REVISION] or false) ~= args.replaced then
  return reply_with(false)
end
if before then
  charge_preset(before[PRESET_USER], -1)
end
charge_preset(args.user, 1)
put_preset(args.room, args.holder, args.field, {args.user, args.revision, NOW}, args.data)
return reply_with(NOW)
