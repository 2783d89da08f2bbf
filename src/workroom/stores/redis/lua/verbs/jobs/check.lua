-- needs: fences
-- The room of each running attempt, or the refusal.
local rooms = {}
for index, fence in ipairs(args.fences) do
  local job, refusal = running_job(args.worker, fence)
  rooms[index] = job and job[JOB.room] or refusal
end
return reply_with(rooms)
