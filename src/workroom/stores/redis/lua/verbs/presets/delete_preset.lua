-- needs: step presets
local before = find_preset(args.room, args.holder, args.field)
if not before or before[PRESET_REVISION] ~= args.revision then
  return reply_with(false)
end
charge_preset(before[PRESET_USER], -1)
remove_preset(args.room, args.holder, args.field)
return reply_with(true)
