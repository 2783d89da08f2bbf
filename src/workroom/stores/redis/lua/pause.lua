-- needs: ledger
local id = tostring(args.extension)
call('HSET', W .. 'ext:' .. id, 'paused', args.paused and 1 or 0)
if not args.paused then
  arrive(id, waiting(id))
end
return answer_packed(close())
