-- needs: holding
-- Whose running attempts are these? Each gets its room, or why not.
local rooms = {}
for index, fence in ipairs(args.fences) do
  local job, refusal = running_job(args.worker, fence)
  rooms[index] = job and job[AT.room] or refusal
end
return answer(rooms)
