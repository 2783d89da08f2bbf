-- needs: endings rules/reconcile
-- Compares what a worker reports to hold with what is on record.
local function fence_of(held)
  return {held.id, held.attempt, held.record[ATTEMPT.token]}
end

local function compare_holds(worker, holds, seen, is_loss)
  local phases, keep, drop, cancel, resend, gone = {}, {}, {}, {}, {}, {}
  for _, hold in ipairs(holds) do
    phases[table.concat(hold[1], SEP)] = hold[2]
  end
  for _, held in ipairs(held_by(worker)) do
    local fence = fence_of(held)
    local name = table.concat(fence, SEP)
    local verdict = reconcile.judge(
      phases[name], held.record[ATTEMPT.number], seen, is_awaited(find_job(held.id), held.record))
    phases[name] = nil
    if verdict == 'keep' then
      append(keep, fence)
    elseif verdict == 'resend' then
      append(keep, fence)
      append(resend, held)
    elseif verdict == 'cancel' then
      append(cancel, fence)
    else
      append(gone, held)
      if verdict == 'drop' then
        append(drop, fence)
      end
    end
  end
  for _, hold in ipairs(holds) do
    if phases[table.concat(hold[1], SEP)] then
      append(drop, hold[1])
    end
  end
  lose(worker, gone, 'not held by its worker', is_loss)
  retire(extensions_of(gone))
  for index, held in ipairs(resend) do
    resend[index] = assignment(worker, find_job(held.id), held.attempt, held.record)
  end
  return {keep, drop, cancel, resend}, build_step()
end
