-- Mirrors workroom.domain.rules.queue.rates.
local rates = {}

-- The time between two starts, rounded up.
function rates.interval_us(rate)
  local starts, period = rate:match('^(%d+)/(%a+)$')
  return math.ceil((PERIODS_US[period] + TOLERANCE_US) / tonumber(starts))
end

-- How many jobs may start together after a pause.
function rates.most_at_once(interval)
  return math.floor(TOLERANCE_US / interval) + 1
end

-- `next_us` by a clock that may have been set back: no later than if a job started now.
function rates.capped_us(next_us, now, interval)
  return math.min(next_us, now + TOLERANCE_US + interval)
end

local function expected_us(next_us, now, interval)
  return next_us and math.max(now, rates.capped_us(next_us, now, interval)) or now
end

-- How many jobs may start now.
function rates.free_starts(next_us, now, interval)
  return math.floor((now + TOLERANCE_US - expected_us(next_us, now, interval)) / interval) + 1
end

-- When the next job may start.
function rates.opens_us(next_us, now, interval)
  return math.max(now, expected_us(next_us, now, interval) - TOLERANCE_US)
end

-- `next_us` when one more job starts now.
function rates.after_start(next_us, now, interval)
  return expected_us(next_us, now, interval) + interval
end

-- `next_us` when the job that was to start at `taken` is given back. Only the last start can be taken back.
function rates.after_return(next_us, taken, interval)
  local is_last = interval > TOLERANCE_US and next_us - interval <= taken + TOLERANCE_US
  return is_last and next_us - interval or next_us
end
