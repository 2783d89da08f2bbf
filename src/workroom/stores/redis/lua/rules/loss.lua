-- needs: rules/retry
-- Mirrors workroom.domain.rules.loss.
local loss = {}

function loss.is_awaited(status, is_same_token)
  return is_same_token and not TERMINAL[status]
end

-- A started attempt is charged as a try. One that never began is handed out again.
function loss.decide(is_awaited, is_started, losses, is_loss, retries, tries)
  if not is_awaited then
    return 'unchanged'
  end
  if is_started then
    return retry.after_loss(retries, tries)
  end
  return losses + (is_loss and 1 or 0) >= MAX_LOSSES and 'fail' or 'requeue'
end
