-- Mirrors workroom.domain.rules.cancel.
local cancel = {}

function cancel.decide(status)
  if status == 'cancelled' then
    return 'repeat'
  end
  return TERMINAL[status] and 'already_ended' or 'cancel'
end
