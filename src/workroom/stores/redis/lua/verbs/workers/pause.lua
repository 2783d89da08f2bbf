-- needs: step_builder
local id = tostring(args.extension)
call('HSET', W .. 'ext:' .. id, 'paused', args.paused and 1 or 0)
if not args.paused then
  arrive(id, waiting(id))
end
return reply_packed(build_step())
