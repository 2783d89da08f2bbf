-- needs: step
if call('EXISTS', W .. 'worker:' .. args.worker) == 1 then
  call('HSET', W .. 'worker:' .. args.worker, 'draining', args.draining and 1 or 0)
end
return reply_with(true)
