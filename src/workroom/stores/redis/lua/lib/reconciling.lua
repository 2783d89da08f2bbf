-- needs: ending
-- What a worker says it holds against what is on record; the rules are those of workroom.domain.reconciliation.
local function fence_of(held)
  return {held.id, held.attempt, held.record[TOKEN]}
end

local function reconcile(worker, holds, seen, is_loss)
  local phases, keep, drop, cancel, resend, gone = {}, {}, {}, {}, {}, {}
  for _, hold in ipairs(holds) do
    phases[table.concat(hold[1], SEP)] = hold[2]
  end
  for _, held in ipairs(held_by(worker)) do
    local fence = fence_of(held)
    local name = table.concat(fence, SEP)
    local phase, is_current = phases[name], is_awaited(find_job(held.id), held.record)
    phases[name] = nil
    if not phase and is_current and held.record[NUMBER] > seen then
      append(keep, fence)
      append(resend, held)
    elseif not phase then
      append(gone, held)
    elseif is_current then
      append(keep, fence)
    elseif phase == 'finished' then
      append(drop, fence)
      append(gone, held)
    else
      append(cancel, fence)
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
  return {keep, drop, cancel, resend}, close()
end
