-- needs: reconciling sessions
-- A heartbeat: the lease is extended and holds are compared.
local session = call('HGET', W .. 'worker:' .. args.worker, 'session')
if not session or call('SCARD', W .. 'offers:' .. args.worker) == 0 then
  return refuse('worker_not_found')
end
if tonumber(session) ~= args.session then
  return refuse('stale_session')
end
grant(args.worker)
return answer_packed(pack_with(reconcile(args.worker, args.holds, args.seen, false)))
