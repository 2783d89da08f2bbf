-- needs: sessions
-- Withdraw offers, and release the worker's attempts of them.
local function withdraw(worker, ids, reason)
  local gone, ended = {}, {}
  for _, id in ipairs(ids) do
    ended[id] = true
  end
  for _, held in ipairs(held_by(worker)) do
    if ended[held.record[ATTEMPT.extension]] then
      append(gone, held)
      append(step.revoked, {worker, held.id, held.attempt, reason})
    end
  end
  lose(worker, gone, reason, false)
  for _, id in ipairs(ids) do
    call('SREM', W .. 'offers:' .. worker, id)
    call('SREM', W .. 'offered:' .. id, worker)
  end
  depart(ended, 0, true)
  retire(ended)
end

-- A worker without offers and requests is dismissed.
local function reply_dismissed(worker, keys)
  local is_over = not is_serving(worker)
  if is_over then
    close_worker(worker, args.reason, false)
    append(step.offline, worker)
    record_dismissal(worker, args.by, args.reason)
  end
  return reply_packed(pack_with({keys, is_over, seating_of(worker)}, build_step()))
end
