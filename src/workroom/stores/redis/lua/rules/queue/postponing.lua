-- Mirrors workroom.domain.rules.queue.postponing.
local postponing = {}

-- The time at which the job is enqueued; nil while it waits for other jobs or for its group.
function postponing.enqueues_us(now, run, blockers, is_paused)
  if blockers > 0 or is_paused then
    return nil
  end
  return run and math.max(now, run) or now
end
