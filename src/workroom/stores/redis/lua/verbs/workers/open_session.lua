-- needs: reconciliation sessions
-- The newest session wins. A new process has lost everything the old one held.
local key, offers = W .. 'worker:' .. args.worker, {}
local session, slots, last_boot, draining, number = unpack(
  call('HMGET', key, 'session', 'slots', 'boot', 'draining', 'number'))
for _, id in ipairs(offers_of(args.worker)) do
  append(offers, {tonumber(id), extension_of(id).room})
end
local awaiting = request_rows(args.worker)
if not session or #offers + #awaiting == 0 then
  return refuse_worker(args.worker)
end
local is_reboot = reconcile.is_reboot(last_boot or nil, args.boot)
local last = is_reboot and 0 or args.seen
for _, held in ipairs(held_by(args.worker)) do
  last = math.max(last, held.record[ATTEMPT.number])
end
last = math.max(last, tonumber(number or 0))
call('HSET', key, 'session', session + 1, 'boot', args.boot, 'online', 1, 'since', NOW, 'number', last)
grant(args.worker)
local reconciled, changes
if is_reboot then
  reconciled, changes = compare_holds(args.worker, {}, EVERYTHING_SEEN, true)
  for _, hold in ipairs(args.holds) do
    append(reconciled[2], hold[1])
  end
else
  reconciled, changes = compare_holds(args.worker, args.holds, args.seen, false)
end
return reply_packed(pack_with(
  {session + 1, tonumber(slots), offers, last, draining == '1', awaiting,
    own_lease(args.worker) or false}, pack_with(reconciled, changes)))
