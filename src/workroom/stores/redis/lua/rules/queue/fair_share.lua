-- Mirrors workroom.domain.rules.queue.fair_share.
local fair_share = {}

function fair_share.rank(priority)
  return MAX_PRIORITY - priority
end

-- A user's next job queues behind that user's own backlog, not behind everybody's.
function fair_share.start_tag(virtual_time, last_finish)
  return math.max(virtual_time, last_finish)
end

function fair_share.finish_tag(start)
  return start + 1
end

-- Of jobs that are started together, the first one begins now: the others may be given back.
function fair_share.begins(first, tag)
  return math.min(first, tag)
end

-- How far service has come once the job with this tag begins: what is only handed out may be recalled.
function fair_share.virtual_time(reached, tag)
  return math.max(reached, tag)
end

function fair_share.aged_before(now)
  return now - AGE_US
end

function fair_share.raised(rank)
  return math.max(0, rank - 1)
end
