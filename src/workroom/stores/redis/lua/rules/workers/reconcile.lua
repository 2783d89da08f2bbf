-- Mirrors workroom.domain.rules.workers.reconcile.
local reconcile = {}

-- Whether the worker is a new process, which has lost everything that the old one held.
function reconcile.is_reboot(last_boot, boot)
  return last_boot ~= nil and last_boot ~= boot
end

-- Absence counts only up to the last assignment that the worker has seen: later ones are on the way.
function reconcile.judge(phase, number, seen, is_awaited)
  if not phase then
    return is_awaited and number > seen and 'resend' or 'lose'
  end
  if is_awaited then
    return 'keep'
  end
  return phase == 'finished' and 'drop' or 'cancel'
end
