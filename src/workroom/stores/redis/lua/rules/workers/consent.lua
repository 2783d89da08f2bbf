-- Mirrors workroom.domain.rules.workers.consent.
local consent = {}

-- Whether another user has the extension, in the room or in public, or the user is banned there.
-- `is_active`, `is_held` and `is_foreign` are about the registered extension, if there is one.
function consent.is_needed(runner, is_trusted, has_consent, is_banned, is_active, is_held, is_foreign,
  is_public_active, is_public_foreign)
  if runner ~= 'remote' or is_trusted or has_consent then
    return false
  end
  if is_banned then
    return true
  end
  if is_active then
    return is_foreign and is_held
  end
  return is_public_active and is_public_foreign
end

-- Who may give consent besides the room's owner: who has the extension, unless the user is banned.
function consent.approver(offered_by, owner_here, owner_in_public, is_banned)
  if is_banned then
    return nil
  end
  if owner_here and owner_here ~= offered_by then
    return owner_here
  end
  if owner_in_public and owner_in_public ~= offered_by then
    return owner_in_public
  end
  return nil
end
