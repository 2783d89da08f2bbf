-- Mirrors workroom.domain.rules.unbegun.
local unbegun = {}

-- A worker may give back what it has started; the server recalls only what is not started.
function unbegun.decide(status, is_current, is_live, is_same_nonce, is_recall)
  if is_current and status == 'assigned' then
    return 'requeue'
  end
  if is_current and status == 'running' then
    return is_same_nonce and not is_recall and 'requeue' or 'stale'
  end
  return is_live and not is_recall and 'late' or 'stale'
end
