-- needs: reconciliation sessions
-- Extend the lease on a heartbeat, and reconcile what the worker holds.
local session = call('HGET', W .. 'worker:' .. args.worker, 'session')
if not session or not is_serving(args.worker) then
  return refuse_worker(args.worker)
end
if tonumber(session) ~= args.session then
  return refuse('stale_session')
end
grant(args.worker)
return reply_packed(pack_with(compare_holds(args.worker, args.holds, args.seen, false)))
