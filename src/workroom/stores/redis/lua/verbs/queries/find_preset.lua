-- needs: read presets
local preset, data = find_preset(args.room, args.holder, args.field)
return cmsgpack.pack({preset, data})
