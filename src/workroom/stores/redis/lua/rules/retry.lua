-- Mirrors workroom.domain.rules.retry.
local retry = {}

-- 1 s, doubled with each try, at most 60 s; `jitter` from -1 to 1 moves it by up to a fifth.
function retry.backoff_s(tries, jitter)
  local doubled = FIRST_DELAY_S * 2 ^ math.min(tries - 1, MAX_DOUBLINGS)
  return math.min(MAX_DELAY_S, doubled) * (1 + JITTER * jitter)
end

-- When a backoff ends by a clock that may have been set back.
function retry.capped_due_us(due, now, tries)
  return math.min(due, now + math.floor(retry.backoff_s(tries, 1) * 1000000 + 0.5))
end

-- The worker was lost while it ran the job; this was try number `tries`.
function retry.after_loss(retries, tries)
  if tries <= retries then
    return 'retry'
  end
  return retries == 0 and 'fail' or 'give_up'
end

-- The code failed or took too long.
function retry.after_error(retry_on, retries, tries)
  if retry_on ~= RETRY_ON_ERROR then
    return 'fail'
  end
  return retry.after_loss(retries, tries)
end
