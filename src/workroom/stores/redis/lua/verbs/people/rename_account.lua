-- needs: skeletons
local key = W .. 'account:' .. args.name
if call('EXISTS', key) == 0 or has_confusable(args.name, args.skeletons) then
  return reply_with(false)
end
call('HSET', key, 'display_name', args.display_name)
clear_skeletons(args.name)
put_skeletons(args.name, args.skeletons)
return reply_with(true)
